import { describe, expect, test } from "vitest";
import { requiredText, type Variable } from "../template/variable.ts";
import { compareVariables } from "./compare-variables.ts";

const text = (fields: Partial<Variable>): Variable => ({ ...requiredText("a"), ...fields });

describe("the difference between versions", () => {
  test("names what came, went and changed", () => {
    const before = ["a", "b", "c"].map((name) => text({ name }));
    const after = [
      text({ name: "c" }),
      text({ name: "b", description: "B" }),
      text({ name: "d", default: "" }),
    ];
    expect(compareVariables(before, after)).toEqual({
      added: ["d"],
      removed: ["a"],
      changed: ["b"],
      breaking: true,
    });
  });

  test("the order of variables and of keys does not count", () => {
    const before = [text({ type: "json", default: { x: 1, y: 2 } }), text({ name: "b" })];
    const after = [
      text({ name: "b" }),
      { default: { y: 2, x: 1 }, required: true, type: "json", name: "a" } as const,
    ];
    expect(compareVariables(before, after)).toEqual({ added: [], removed: [], changed: [], breaking: false });
  });

  test.each<[string, Variable[], Variable[], boolean]>([
    ["renaming", [text({})], [text({ name: "b" })], true],
    ["a required one more", [], [text({})], true],
    ["an optional one more", [], [text({ required: false })], false],
    ["a required one more with a default", [], [text({ default: "x" })], false],
    ["one less", [text({})], [], true],
    ["required instead of optional", [text({ required: false })], [text({})], true],
    ["optional instead of required", [text({})], [text({ required: false })], false],
    ["a default less", [text({ default: "x" })], [text({})], true],
    ["another type", [text({})], [text({ type: "number" })], true],
    ["a larger field for the same text", [text({})], [text({ type: "multiline" })], false],
    ["an option less", [text({ options: ["x", "y"] })], [text({ options: ["x"] })], true],
    ["an option more", [text({ options: ["x"] })], [text({ options: ["x", "y"] })], false],
    ["a lower maximum", [text({ max: 2 })], [text({ max: 1 })], true],
    ["a new minimum", [text({})], [text({ min: 1 })], true],
    ["a longer text", [text({ maxLength: 1 })], [text({ maxLength: 2 })], false],
    ["a shorter text", [text({})], [text({ maxLength: 2 })], true],
    ["a least length", [text({})], [text({ minLength: 2 })], true],
  ])("%s", (_, before, after, breaking) => {
    expect(compareVariables(before, after).breaking).toBe(breaking);
  });
});
