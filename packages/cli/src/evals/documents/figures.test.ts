import { describe, expect, test } from "vitest";
import type { Run } from "@promptreg/core";
import { dollars, figuresOf, percent, probability, time } from "./figures.ts";
import { documentOf, runOf, sideOf } from "./testing.ts";
import { butErrors, byWeight, headlineOf } from "./verdict.ts";

describe("a figure is printed", () => {
  test.each([
    [probability(0.0009), "< 0.001"],
    [probability(0.001), "0.001"],
    [probability(0.5), "0.500"],
    [time(999), "999 ms"],
    [time(1000), "1 s"],
    [time(1250), "1.3 s"],
    [dollars(0), "$0.00"],
    [dollars(1), "$1.00"],
    [dollars(0.12345), "$0.12"],
    [dollars(12.345), "$12.35"],
    [percent(0.8254), "82.5%"],
  ])("as short as it can be: %s", (printed, wanted) => {
    expect(printed).toBe(wanted);
  });
});

const summaryOf = (fields: Partial<Run["summary"]>): Run["summary"] => ({
  ...runOf(8, []).summary,
  latencyMsP50: null,
  latencyMsP95: null,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  ...fields,
});
const document = (now: Partial<Run["summary"]>, before?: Partial<Run["summary"]>) => {
  const whole = documentOf([]);
  return {
    ...whole,
    run: { ...whole.run, summary: summaryOf(now) },
    comparison:
      before === undefined || whole.comparison === null
        ? null
        : { ...whole.comparison, before: { ...whole.comparison.before, summary: summaryOf(before) } },
  };
};

test("figures say a change with its sign, and whether it is for better or worse", () => {
  const figures = figuresOf(
    document(
      {
        passRate: 0.5,
        score: null,
        passed: 2,
        failed: 3,
        errored: 1,
        skipped: 0,
        latencyMsP50: 900,
        costUsd: 1,
      },
      {
        passRate: 0.51,
        score: 0.5,
        passed: 3,
        failed: 2,
        errored: 1,
        skipped: 0,
        latencyMsP50: 1000,
        costUsd: 0.25,
      },
    ),
  );
  expect(figures.map(({ name, before, now, change, tone }) => [name, before, now, change, tone])).toEqual([
    ["Pass rate", "51%", "50%", "−1 point", "bad"],
    ["Score", "0.5", "none", "", null],
    ["Passed", "3", "2", "−1", "bad"],
    ["Failed", "2", "3", "+1", "bad"],
    ["Errored", "1", "1", "0", null],
    ["Latency p50", "1 s", "900 ms", "−100 ms", null],
    ["Cost", "$0.25", "$1.00", "+$0.75", null],
  ]);
  expect(
    figuresOf(document({ passRate: 1, score: null, passed: 1 })).map(({ name, before, change }) => [
      name,
      before,
      change,
    ]),
  ).toEqual([
    ["Pass rate", null, null],
    ["Passed", null, null],
    ["Failed", null, null],
  ]);
});

describe("a run is said to", () => {
  const said = (fields: Partial<Run>, sides = [sideOf({})]) =>
    headlineOf({ ...documentOf([]), comparison: null, run: runOf(8, sides, fields) });
  test.each([
    ["unsure", "Unfinished", "The run has not completed.", { status: "running" }],
    ["bad", "Run failed", "The run did not complete.", { status: "failed" }],
    ["unsure", "No verdict", "No result counts.", { verdict: null }],
    ["good", "Pass", "100% of the results passed, and 80% are needed.", {}],
    [
      "bad",
      "Fail",
      "100% of the results passed. The verdict is that of the tool.",
      { verdict: "fail", verdictSource: "reported" },
    ],
  ] as const)("be %s: %s. %s", (tone, word, sentence, fields) => {
    expect(said(fields)).toEqual({ tone, verdicts: [{ tone, word, sentence }] });
  });

  test("fail by its errors where just enough passed, and only there", () => {
    const summary = summaryOf({ passRate: 0.8, passed: 4, failed: 0, errored: 1, skipped: 0, total: 5 });
    const run = {
      ...runOf(8, []),
      verdict: "fail",
      verdictSource: "computed",
      threshold: 0.8,
      summary,
    } as const;
    expect(butErrors(run)).toBe(", but 1 errored, and a run with errors fails");
    expect(butErrors({ ...run, threshold: 0.81 })).toBe("");
    expect(butErrors({ ...run, verdictSource: "reported" })).toBe("");
    expect(butErrors({ ...run, verdict: "pass" })).toBe("");
    expect(butErrors({ ...run, summary: { ...summary, passRate: null }, threshold: 0.1 })).toBe("");
    expect(byWeight(summary)).toBe("");
    expect(byWeight({ ...summary, passRate: 0.9 })).toBe(" by weight");
    expect(byWeight({ ...summary, skipped: 1, total: 6 })).toBe("");
  });
});
