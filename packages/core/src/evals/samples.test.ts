import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { metricDifference, passRateDifference, scoreDifference } from "./samples.ts";
import { match, resultsOf, sampleOf } from "./testing.ts";

const passRates = (a: readonly string[], b: readonly string[]) =>
  passRateDifference(match(resultsOf(a), resultsOf(b)).passRate);

describe("the pass rate of two runs", () => {
  test("is compared over the cases that passed or failed in both", () => {
    expect(passRates(["p", "f", "p", "f", "e", "s"], ["f", "p", "p", "f", "p", "p"])).toMatchObject({
      pairs: 4,
      a: 0.5,
      b: 0.5,
      change: 0,
      pWorse: 0.5,
      method: "mcnemar_mid_p",
      variance: 0.5,
    });
  });

  test("has no difference without a common case", () => {
    expect(passRates(["p"], [])).toBeNull();
    expect(passRates(["e"], ["p"])).toBeNull();
  });

  test("is compared by shares where attempts of a case differ", () => {
    expect(passRates(["pppp", "ppff", "pf", "pppf"], ["pppf", "pppf", "pfpf", "ppff"])).toMatchObject({
      pairs: 4,
      change: (-0.25 + 0.25 - 0.25) / 4,
      method: "sign_flip_exact",
    });
  });

  test("of attempts that all do the same is McNemar's", () => {
    expect(passRates(["ppp", "ppp", "fff"], ["fff", "ppp", "ppp"])).toEqual(
      passRates(["p", "p", "f"], ["f", "p", "p"]),
    );
  });
});

test("a case counts by its weight, and not at all without one", () => {
  const weighing = (
    status: "passed" | "failed",
    weights: readonly number[],
    failed: readonly number[] = [],
  ) =>
    weights.map((weight, index) => ({
      caseKey: `case-${index}`,
      status: failed.includes(index) ? ("failed" as const) : status,
      weight,
    }));
  const weights = [9, 0.1, 0.1, 0.1, 0];
  const heavy = passRateDifference(
    match(weighing("passed", weights), weighing("passed", weights, [0])).passRate,
  );
  expect(heavy).toMatchObject({ pairs: 4, a: 1, method: "sign_flip_exact", pWorse: 0.25 });
  expect([heavy!.b, heavy!.change]).toEqual([expect.closeTo(0.3 / 9.3, 12), expect.closeTo(-9 / 9.3, 12)]);
  expect(passRateDifference(match(weighing("passed", [0]), weighing("failed", [0])).passRate)).toBeNull();
});

test("a score is compared over the cases that have one in both runs", () => {
  const scored = (...scores: (number | null)[]) =>
    scores.map((score, index) => ({ caseKey: `case-${index}`, status: "passed" as const, score }));
  const { score } = match(scored(0.9, 0.5, 1), scored(0.4, 0.5, null));
  expect(scoreDifference(score)).toMatchObject({ pairs: 2, a: 0.7, b: 0.45, change: -0.25, pWorse: 0.25 });
});

test("differences are the same in any order, and with their zeros or without", () => {
  const eighths = fc.integer({ min: -8, max: 8 }).map((value) => value / 8);
  fc.assert(
    fc.property(
      fc.array(eighths, { minLength: 1, maxLength: 30 }),
      fc.constantFrom(0, 600),
      (values, more) => {
        const pairs = values.length + more;
        const other = values.filter((value) => value !== 0).toReversed();
        expect(scoreDifference(sampleOf(other, { pairs }))).toEqual(
          scoreDifference(sampleOf(values, { pairs })),
        );
      },
    ),
  );
});

test("the score of an assertion is compared without samples", () => {
  const sample = sampleOf(
    Array.from({ length: 20 }, (_, n) => -n / 40),
    { pairs: 40 },
  );
  const [quick, sampled] = [metricDifference(sample)!, scoreDifference(sample)!];
  expect([quick.method, sampled.method]).toEqual(["sign_flip_normal", "sign_flip_sampled"]);
  expect(quick.pWorse).toBeCloseTo(sampled.pWorse, 2);
  expect(quick.interval!.high).toBeCloseTo(sampled.interval!.high, 2);
});
