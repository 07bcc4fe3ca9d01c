import { describe, expect, test } from "vitest";
import { hasMetrics } from "./comparison.ts";
import { match, sampleOf, type TestResult } from "./testing.ts";

describe("the scores of assertions", () => {
  const result = (
    caseKey: string,
    scores: Record<string, number[]>,
    more: Partial<TestResult> = {},
  ): TestResult => ({
    caseKey,
    status: "passed",
    assertions: Object.entries(scores).flatMap(([type, all]) =>
      all.map((score) => ({ type, passed: true, score })),
    ),
    ...more,
  });
  const metricsOf = (a: TestResult[], b: TestResult[]) =>
    match(a, b).metrics?.map(({ name, pairs, a: before, b: after }) => [name, pairs, before, after]);

  test("are those that both runs have of a case, averaged, those of most cases first", () => {
    const a = [
      result("1", { faithful: [1, 0], close: [0.5], also: [0.5], old: [1] }),
      result("2", { faithful: [1], late: [1] }),
    ];
    const b = [
      result("1", { faithful: [0.25], close: [1], also: [1], new: [1] }),
      result("2", { faithful: [0] }),
    ];
    expect(metricsOf(a, b)).toEqual([
      ["faithful", 2, 1.5, 0.25],
      ["also", 1, 0.5, 1],
      ["close", 1, 0.5, 1],
    ]);
  });

  test("count by the greater weight of a case, and not if the attempt errored or the score is beyond sums", () => {
    const a = [
      result("1", { close: [1], odd: [1] }, { weight: 3 }),
      result("1", { close: [0] }, { status: "errored" }),
    ];
    const b = [
      result("1", { close: [0.5], odd: [1.1e100] }, { weight: 2 }),
      result("1", { close: [0.5] }, { weight: 4 }),
    ];
    expect(metricsOf(a, b)).toEqual([["close", 1, 4, 2]]);
  });

  test("are of twenty types", () => {
    const types = Array.from({ length: 21 }, (_, n) => `type-${10 + n}`);
    const run = [result("1", Object.fromEntries(types.map((type) => [type, [1]])))];
    expect(metricsOf(run, run)?.map(([name]) => name)).toEqual(types.slice(0, 20));
  });

  test("are compared of 20,000 results with 200,000 assertions at most", () => {
    expect(hasMetrics({ results: 20_000, assertions: 200_000 })).toBe(true);
    expect(hasMetrics({ results: 20_001 })).toBe(false);
    expect(hasMetrics({ results: 1, assertions: 200_001 })).toBe(false);
  });
});

test("a score of an assertion or a case whose square no number could hold is 0", () => {
  const scored = (score: number): TestResult[] => [
    { caseKey: "1", status: "passed", score, assertions: [{ type: "close", passed: true, score }] },
  ];
  const sumOf = (score: number) => {
    const { score: whole, metrics } = match(scored(0), scored(score));
    return [whole.b, metrics?.[0]?.b];
  };
  expect(sumOf(1e-100)).toEqual([1e-100, 1e-100]);
  expect(sumOf(0.9e-100)).toEqual([0, 0]);
  expect([sumOf(1e100)[1], sumOf(-1e100)[1], sumOf(1.1e100)[1]]).toEqual([1e100, -1e100, undefined]);
});

test("a sample has all of 500 pairs, of more those alone that changed, and of more of these none", () => {
  const lengthOf = (changed: number, pairs: number) =>
    sampleOf(
      Array.from({ length: changed }, () => 1),
      { pairs },
    ).values?.length;
  expect([lengthOf(1, 500), lengthOf(1, 501)]).toEqual([500, 1]);
  expect([lengthOf(500, 501), lengthOf(501, 501)]).toEqual([500, undefined]);
});

test("of runs that differ, the second one's weight of a case counts", () => {
  const weighing = (weight: number): TestResult[] => [{ caseKey: "1", status: "passed", weight }];
  expect(match(weighing(2), weighing(5)).passRate.weight).toBe(5);
  expect(match(weighing(2), []).missingWeight).toBe(2);
});
