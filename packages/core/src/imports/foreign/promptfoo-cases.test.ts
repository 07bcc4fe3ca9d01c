import { expect, test } from "vitest";
import { readPromptfooCases } from "./promptfoo-cases.ts";

const read = (config: unknown) => readPromptfooCases("promptfooconfig.json", JSON.stringify(config));

test("a test is a case: with what all tests have, and what it says itself", () => {
  const defaultTest = {
    vars: { tone: "kind", name: "x" },
    assert: [{ type: "is-json" }, { type: "similar", value: "hi", threshold: 0.5, weight: 2 }],
  };
  const tests = [
    { description: "First", vars: { name: "Ada" }, assert: [{ type: "cost", threshold: "much" }] },
    { vars: { name: "Bob" } },
  ];
  const common = [{ type: "is-json" }, { type: "similar", value: "hi", threshold: 0.5, weight: 2 }];
  const cases = [
    { key: "First", variables: { tone: "kind", name: "Ada" }, assertions: [...common, { type: "cost" }] },
    { variables: { tone: "kind", name: "Bob" }, assertions: common },
  ];
  expect(read({ defaultTest, tests })).toEqual({ cases, warnings: [] });
  expect(read({ defaultTest: "file://x.yaml", tests: [{}] })).toEqual({
    cases: [{ variables: {} }],
    warnings: [],
  });
});

test("lists stand for a case of each combination, and only the first of several has a name alone", () => {
  const tests = [
    { description: "Each", vars: { a: [1, 2], b: ["x", "y"] } },
    { description: "Each (2)", vars: { a: 3 } },
    { description: "None", vars: { a: [] } },
  ];
  expect(read({ tests })).toEqual({
    cases: [
      { key: "Each", variables: { a: 1, b: "x" } },
      { key: "Each (2)", variables: { a: 1, b: "y" } },
      { key: "Each (3)", variables: { a: 2, b: "x" } },
      { key: "Each (4)", variables: { a: 2, b: "y" } },
      { variables: { a: 3 } },
    ],
    warnings: ["Tests left out: 1. Their values are in files, or are more than 1,000 combinations."],
  });
});

test("a test stands for a thousand cases at most", () => {
  const list = (length: number) => Array.from({ length }, (_, nth) => nth);
  expect(read({ tests: [{ vars: { a: list(20), b: list(50) } }] }).cases).toHaveLength(1_000);
  expect(read({ tests: [{ vars: { a: list(20), b: list(51) } }] }).cases).toEqual([]);
});

test("what needs a file or a program is left out, and counted", () => {
  const here = { vars: { a: "see file://x" } };
  const tests = [
    here,
    "file://tests.csv",
    { vars: "file://vars.yaml" },
    ...["file://a", "https://a", "http://a", "package:a", "exec:a", "huggingface://a"].map((a) => ({
      vars: { a },
    })),
    { vars: { a: ["x", "file://a"] } },
  ];
  const assert = [
    { type: "equals", value: "file://a" },
    { type: "assert-set", assert: [] },
    { value: "a" },
    "is-json",
    { type: "contains", value: ["a"] },
  ];
  expect(read({ tests: [...tests, { ...here, assert }] })).toEqual({
    cases: [
      { variables: here.vars },
      { variables: here.vars, assertions: [{ type: "contains", value: ["a"] }] },
    ],
    warnings: [
      "Tests left out: 9. Their values are in files, or are more than 1,000 combinations.",
      "Assertions left out: 4. They are in files, or are sets of others.",
    ],
  });
  expect(read({ defaultTest: { vars: "file://a" }, tests: [here] }).cases).toEqual([]);
  expect(read({ tests: [{ ...here, assert: [{ value: "a" }] }] }).warnings).toEqual([
    "Assertions left out: 1. They are in files, or are sets of others.",
  ]);
});

test("a long description is cut where a registry still takes it with its number, and not within a character", () => {
  const keys = (description: string) =>
    read({ tests: [{ description, vars: { a: [1, 2] } }] }).cases.map(({ key }) => key);
  expect(keys("a".repeat(200))).toEqual(["a".repeat(190), `${"a".repeat(190)} (2)`]);
  expect(keys(`${"a".repeat(189)}😀`)).toEqual(["a".repeat(189), `${"a".repeat(189)} (2)`]);
  expect(keys(`${"a".repeat(188)}😀b`)[0]).toBe(`${"a".repeat(188)}😀`);
});

test.each([
  ["a.yaml", "tests: [", /^The file is not valid YAML/],
  ["a.json.yml", "tests:\n  - vars: {}\n  x", /^The file is not valid YAML/],
  ["a.JSON", "tests: []", /^The file is not valid JSON/],
  ["a.yaml", "tests: file://cases.csv", /^Its tests are in file:\/\/cases\.csv\. Import that file\.$/],
  ["a.yaml", "tests: {}", /^It has no tests\.$/],
  ["a.yaml", "- tests", /^It has no tests\.$/],
])("a configuration without tests of its own is refused: %s with %j", (path, text, problem) => {
  expect(() => readPromptfooCases(path, text)).toThrow(problem);
});
