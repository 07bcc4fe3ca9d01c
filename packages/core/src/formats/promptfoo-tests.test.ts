import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type FormatCase, writeFormat } from "./index.ts";
import { sourceOf } from "./testing.ts";

const politely = { type: "llm-rubric", value: "is polite", threshold: 0.5, weight: 2 };

describe("promptfoo", () => {
  test("has a test for each case of a dataset, by which a report finds the case again", () => {
    const cases: FormatCase[] = [
      { key: "polite", variables: { diff: "+1" }, expected: null, assertions: [politely], weight: 2 },
      { key: "json", variables: {}, expected: { ok: true }, assertions: [] },
      { key: "both", variables: {}, expected: "LGTM", assertions: [{ type: "not-contains", value: "no" }] },
    ];
    const { files, warnings } = writeFormat("promptfoo", sourceOf("text", { cases }));
    expect(parse(String(files[0]?.content)).tests).toEqual([
      {
        description: "polite",
        vars: { diff: "+1" },
        assert: [{ type: "llm-rubric", value: "is polite", threshold: 0.5, weight: 2 }],
      },
      { description: "json", vars: {}, assert: [{ type: "equals", value: { ok: true } }] },
      { description: "both", vars: {}, assert: [{ type: "not-contains", value: "no" }] },
    ]);
    expect(warnings?.slice(-2)).toEqual([
      "What 1 cases expect is left out: they have assertions.",
      "The weights of 1 cases are left out: promptfoo counts tests alike.",
    ]);
  });

  test.for<NonNullable<FormatCase["assertions"]>[number]>([
    { type: "javascript", value: "process.exit()" },
    { type: "python", value: "import os" },
    { type: "webhook", value: "https://x" },
    { type: "constructor" },
    { type: "contains", value: "file://etc/passwd" },
    { type: "contains-any", value: ["a", "{{env.KEY}}"] },
    { type: "is-json", value: { properties: { a: { $ref: "/etc/passwd" } } } },
  ])("leaves out an assertion that it could run or follow: %j", (bad) => {
    const cases = [{ key: "a", variables: {}, expected: "yes", assertions: [bad] }];
    const { files, warnings } = writeFormat("promptfoo", sourceOf("text", { cases }));
    expect(parse(String(files[0]?.content)).tests[0].assert).toEqual([{ type: "equals", value: "yes" }]);
    expect(warnings?.join()).toContain("1 assertions are left out: promptfoo could run or follow");
  });

  test("gets many cases as JSON, which is YAML too and soon printed", () => {
    const cases = Array.from({ length: 5_000 }, (_, n) => ({
      key: `case-${n}`,
      variables: {},
      expected: "yes",
    }));
    const { files } = writeFormat("promptfoo", sourceOf("text", { cases }));
    expect(JSON.parse(String(files[0]?.content)).tests).toHaveLength(5_000);
  });
});
