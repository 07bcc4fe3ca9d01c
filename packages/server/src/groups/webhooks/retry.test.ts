import { afterEach, expect, test, vi } from "vitest";
import { leaseSeconds } from "./drain.sql.ts";
import { retry } from "./retry.ts";

afterEach(() => vi.restoreAllMocks());

const fails = () => vi.fn<() => Promise<string>>().mockRejectedValue(new Error("away"));

test("what fails is tried again while a lease may be ours, and then no more", { tags: "long" }, async () => {
  const work = fails();
  const now = vi.spyOn(performance, "now").mockReturnValueOnce(0);
  now.mockReturnValueOnce(leaseSeconds * 1000).mockReturnValueOnce(leaseSeconds * 1000 + 1);
  await expect(retry(work)).rejects.toThrow("away");
  expect(work).toHaveBeenCalledTimes(2);
});

test("what fails while the process stops is not tried again", async () => {
  const work = fails();
  await expect(retry(work, () => true)).rejects.toThrow("away");
  expect(work).toHaveBeenCalledTimes(1);
});
