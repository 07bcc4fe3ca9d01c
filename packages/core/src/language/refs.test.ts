import { describe, expect, test } from "vitest";
import { parseRange, parseRef } from "./refs.ts";

describe("an address", () => {
  test.each([
    ["ada/reply", {}],
    ["ada-b/r-2-d", {}],
    ["ada/reply@3", { version: 3 }],
    ["ada/reply@999999999", { version: 999_999_999 }],
    ["ada/reply@production", { label: "production" }],
    ["ada/reply@v1.2_rc-1", { label: "v1.2_rc-1" }],
  ])("%s is read", (text, which) => {
    const [owner, slug] = text.split(/[/@]/);
    expect(parseRef(text)).toEqual({ owner, slug, ...which });
  });

  test.each(
    [
      ["", "ada", "ada/", "/reply", "ada/-reply", "ada/reply-", "ada/re--ply", "-ada/reply", "ada-/reply"],
      ["ada/reply@", "ada/reply@0", "ada/reply@01", "ada/reply@1000000000", "ada/reply@3x", "ada/reply@.a"],
      [
        " ada/reply",
        "ada/reply ",
        "ada/reply\n",
        "x/ada/reply",
        "ada/reply/x",
        "ada/reply@a/b",
        "ada/reply@1@2",
      ],
    ].flat(),
  )("%j is none", (text) => {
    expect(() => parseRef(text)).toThrow("Write owner/slug, owner/slug@3 or owner/slug@production.");
  });

  test.each(["Ada/reply", "ada/Reply", "ada/reply@A"])("%s is none, since it has a capital", (text) => {
    expect(() => parseRef(text)).toThrow(`Write it in lower case: ${text.toLowerCase()}.`);
  });
});

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
