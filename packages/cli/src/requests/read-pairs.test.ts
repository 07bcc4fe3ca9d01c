import { expect, test } from "vitest";
import { readPairs } from "./read-pairs.ts";

test("a pair is a name and all that stands behind the first =", () => {
  expect(readPairs([])).toEqual([]);
  expect(readPairs(["a=1", "b=", "c=x=y"])).toEqual([
    ["a", "1"],
    ["b", ""],
    ["c", "x=y"],
  ]);
});

test.each(["a", "=1", "="])("%s is no pair", (text) => {
  expect(() => readPairs(["a=1", text])).toThrow(`Write --var name=value, not ${text}.`);
});
