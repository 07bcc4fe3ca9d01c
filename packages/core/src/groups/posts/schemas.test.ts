import { expect, test } from "vitest";
import { UpdatePost } from "./schemas.ts";

test("a body is at most 200 KiB long, of whatever letters", () => {
  const isValid = (body: string) => UpdatePost.safeParse({ body }).success;
  const bodies = ["x".repeat(200 * 1024), "é".repeat(100 * 1024), `${"é".repeat(100 * 1024)}x`];
  expect(bodies.map(isValid)).toEqual([true, true, false]);
});

test("a review stands alone", () => {
  const review = { decision: "approved", revisionId: "rev_01jd0000000000000000000000" };
  expect(UpdatePost.safeParse({ review }).success).toBe(true);
  expect(UpdatePost.safeParse({ review, title: "Mine" }).error?.issues).toMatchObject([{ path: ["review"] }]);
});
