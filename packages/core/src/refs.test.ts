import { describe, expect, test } from "vitest";
import { parseRange } from "./refs.ts";

describe("a range of versions", () => {
  test.each([
    ["1..2", { version: 1 }, { version: 2 }],
    ["production..latest", { label: "production" }, { label: "latest" }],
    ["v1.2..3", { label: "v1.2" }, { version: 3 }],
  ])("%s has two sides", (text, from, to) => {
    expect(parseRange(text)).toEqual({ from, to });
  });

  test.each([
    "",
    "1",
    "..",
    "1..",
    "..2",
    "1...2",
    "1..2..3",
    "0..1",
    "01..2",
    "1..1000000000",
    "1-2",
    "A..b",
    "a.-..b.",
    " 1..2",
    "1..2\n",
    `a..${"b".repeat(65)}`,
    "a".repeat(100_000),
    "..".repeat(50_000),
  ])("is none of the form %.20s", (text) => {
    expect(() => parseRange(text)).toThrow(SyntaxError);
  });
});
