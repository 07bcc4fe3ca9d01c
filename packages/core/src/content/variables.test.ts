import { describe, expect, test } from "vitest";
import { requiredText, type Variable } from "../template/variable.ts";
import { readVariables } from "./variables.ts";

const text = (fields: Partial<Variable>): Variable => ({ ...requiredText("a"), ...fields });

describe("declarations", () => {
  test("are a list, or a map from names, with defaults for missing keys", () => {
    const expected = { variables: [text({})], problems: [], warnings: [] };
    expect(readVariables([{ name: "a" }], ["a"])).toEqual(expected);
    expect(readVariables({ a: {} }, ["a"])).toEqual(expected);
    expect(readVariables({ a: null }, ["a"])).toEqual(expected);
    expect(readVariables(null, []).variables).toEqual([]);
  });

  test("keep all their keys", () => {
    const declared = {
      name: "tone",
      type: "enum",
      description: "How it sounds",
      required: false,
      default: "warm",
      options: ["warm", "dry"],
      example: "dry",
    };
    expect(readVariables([declared], ["tone"]).variables).toEqual([declared]);
  });

  test("options may be written as numbers or booleans", () => {
    const { variables } = readVariables([{ name: "a", type: "enum", options: [1, true], default: 1 }], ["a"]);
    expect(variables[0]?.options).toEqual(["1", "true"]);
  });

  test.each([
    ["twice", [{ name: "a" }, { name: "a" }], "variables.1.name: a is declared twice"],
    ["no name", [{}], "variables.0.name: is missing"],
    ["a bad name", [{ name: "a-b" }], "variables.0.name: must be a letter"],
    ["a name alone", ["a"], "variables.0: must be an object"],
    ["null in a list", [null], "variables.0: must be an object"],
    ["a number", 1, "variables: must be a list"],
    ["an unknown type", [{ name: "a", type: "string" }], "variables.0.type: must be one of: text"],
    [
      "a default of another type",
      [{ name: "a", type: "number", default: "x" }],
      "variables.0.default: must be a number",
    ],
    [
      "a default out of range",
      [{ name: "a", type: "number", max: 1, default: 2 }],
      "variables.0.default: must be at most 1",
    ],
    [
      "a default beside the options",
      [{ name: "a", type: "enum", options: ["b"], default: "c" }],
      "must be one of: b",
    ],
    ["an enum without options", [{ name: "a", type: "enum" }], "variables.0.options"],
    ["options of a text", [{ name: "a", options: ["b"] }], "variables.0.options"],
    [
      "an option twice",
      [{ name: "a", type: "enum", options: ["1", 1] }],
      "variables.0.options: hold a value twice",
    ],
    ["crossed lengths", [{ name: "a", minLength: 2, maxLength: 1 }], "variables.0.minLength"],
    ["crossed bounds", [{ name: "a", type: "number", min: 2, max: 1 }], "variables.0.min"],
  ])("%s is a problem", (_, declared, problem) => {
    expect(readVariables(declared, ["a"]).problems[0]).toContain(problem);
  });

  test("bounds may be the same", () => {
    const lengths = { minLength: 2, maxLength: 2 };
    const bounds = { type: "number", min: 2, max: 2 };
    expect(readVariables({ a: lengths, b: bounds }, ["a", "b"])).toMatchObject({
      variables: [lengths, bounds],
      problems: [],
    });
  });

  test("an unknown key is a warning, and an inherited name is one", () => {
    const { variables, warnings } = readVariables([{ name: "a", pattern: ".*", constructor: 1 }], ["a"]);
    expect(variables).toEqual([text({})]);
    expect(warnings).toMatchObject([{ code: "unknown_key" }]);
    expect(warnings[0]?.message).toContain('"pattern", "constructor"');
  });
});

describe("use", () => {
  test("an undeclared name is required text; args of a command is optional", () => {
    const { variables, problems } = readVariables([{ name: "b" }], ["args", "b", "c"], ["args"]);
    expect(problems).toEqual([]);
    expect(variables).toEqual([
      text({ name: "b" }),
      text({ name: "args", required: false }),
      text({ name: "c" }),
    ]);
  });

  test("a declared name that does not occur is a warning", () => {
    expect(readVariables([{ name: "a" }], []).warnings).toMatchObject([{ code: "unused_variable" }]);
  });

  test("at most fifty are valid, declared or used", () => {
    const names = Array.from({ length: 51 }, (_, i) => `v${i}`);
    const declared = names.map((name) => ({ name }));
    expect(readVariables(declared.slice(1), names.slice(1)).problems).toEqual([]);
    for (const [list, used] of [
      [declared, []],
      [null, names],
      [declared.slice(0, 20), names],
    ] as const) {
      const { problems } = readVariables(list && [...list], used);
      expect(problems).toEqual(["variables: a prompt has at most 50"]);
    }
  });
});
