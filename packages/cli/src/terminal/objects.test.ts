import { expect, test } from "vitest";
import { isObject } from "./objects.ts";

test.each([null, undefined, 3, "text", true, [], [{}]])("%j has no fields", (value) => {
  expect(isObject(value)).toBe(false);
});

test("an object has fields, also an empty one", () => {
  expect([isObject({}), isObject({ a: 1 })]).toEqual([true, true]);
});
