import { describe, expect, test } from "vitest";
import type { EvalVerdict } from "../groups/evals/compare.ts";
import { chances, flakyRuns, match, resultsOf } from "./testing.ts";
import { type MatchedRuns, measure } from "./samples.ts";
import { type VerdictOptions, verdictOf as verdictOn } from "./verdict.ts";

const verdictOf = (runs: MatchedRuns, options?: VerdictOptions) => verdictOn(measure(runs), options);
const many = (count: number, attempts: string) => Array.from({ length: count }, () => attempts);
const runs = (a: string[], b: string[]) => match(resultsOf(a), resultsOf(b));
const scored = (scores: readonly number[]) =>
  scores.map((score, index) => ({ caseKey: `case-${index}`, status: "passed" as const, score }));
const first = ({ sentences }: EvalVerdict) => sentences[0];

/** The share of comparisons that say it is a regression. */
function alarms(count: number, options: Parameters<typeof flakyRuns>[1]): number {
  const next = chances(16);
  let found = 0;
  for (let i = 0; i < count; i++) if (verdictOf(flakyRuns(next, options)).outcome === "regression") found++;
  return found / count;
}

describe("of flaky cases", () => {
  test("the same version is a regression in at most 70 of 1,000 comparisons", { tags: "long" }, () => {
    expect(alarms(1000, {})).toBeLessThanOrEqual(0.07);
  });

  test("so it is with several attempts, and with scores beside", { tags: "long" }, () => {
    expect(alarms(300, { cases: 60, attempts: 3 })).toBeLessThanOrEqual(0.07);
    expect(alarms(300, { cases: 60, hasScore: true })).toBeLessThanOrEqual(0.07);
  });

  // Of the cases, 81 % pass: so many have to break.
  const sixPoints = { cases: 200, dropped: 0.06 / 0.81 };

  test("a drop of six points at 200 cases is found in more than half of the comparisons", {
    tags: "long",
  }, () => {
    expect(alarms(500, sixPoints)).toBeGreaterThan(0.5);
  });

  test("it is found more often with several attempts", { tags: "long" }, () => {
    expect(alarms(100, { ...sixPoints, attempts: 3 })).toBeGreaterThan(alarms(100, sixPoints));
  });
});

describe("the verdict", () => {
  test("of twenty cases with one flip is no regression, and says what they could show", () => {
    expect(verdictOf(runs(many(20, "p"), [...many(19, "p"), "f"]))).toMatchObject({
      outcome: "no_regression",
      fell: [],
      regressed: [],
      sentences: [
        "No regression: nothing fell by more than noise.",
        "20 cases passed or failed in both runs: 1 broken, 0 fixed, 19 passed in both, 0 failed in both.",
        "Pass rate: 100% before, 95% now, a change of -5 points (90% interval: -17.4 to 8.3); p = 0.250 by McNemar's test (mid-p).",
        "p says how likely noise alone makes a change as bad as this (one-sided). Below 0.05 it is more than noise.",
        "In four of five comparisons, 20 cases would show a drop of 32 points. To find one of 5 points takes about 240 cases.",
      ],
      sources: [
        "McNemar 1947, doi:10.1007/BF02295996",
        "Mid-p: Fagerland, Lydersen, Laake 2013, doi:10.1186/1471-2288-13-91",
        "Interval of the pass rate: Bonett, Price 2012, doi:10.3102/1076998611411915",
        "Number of cases: Connor 1987, doi:10.2307/2531961",
      ],
    });
  });

  const worse = runs(many(100, "p"), [...many(94, "p"), ...many(6, "f")]);

  test("of a drop that is more than noise is a regression", () => {
    const verdict = verdictOf(worse);
    expect(verdict).toMatchObject({ outcome: "regression", fell: ["passRate"], regressed: ["passRate"] });
    expect(first(verdict)).toBe("Regression: the pass rate fell by more than noise.");
  });

  test("allows a drop up to a limit, and asks how many cases show one of that size", () => {
    const verdict = verdictOf(worse, { maxDrop: 0.1 });
    expect(verdict).toMatchObject({ outcome: "no_regression", fell: ["passRate"], regressed: [] });
    expect(first(verdict)).toBe(
      "No regression: the pass rate fell by more than noise, but not by more than the 10 points allowed.",
    );
    expect(verdict.sentences.at(-1)).toMatch(/To find one of 10 points takes about \d+ cases\.$/);
    expect(first(verdictOf(worse, { maxDrop: 0.01 }))).toBe(
      "Regression: the pass rate fell by more than noise, and by more than the 1 point allowed.",
    );
  });

  test("of a version that is better is no regression", () => {
    expect(verdictOf(runs([...many(20, "f"), "p"], many(21, "p"))).outcome).toBe("no_regression");
  });

  test("without common cases is that they cannot be compared", () => {
    const verdict = verdictOf(match(resultsOf(["p"]), [{ caseKey: "other", status: "failed" }]));
    expect(verdict).toMatchObject({ outcome: "not_comparable", regressed: [], sources: [] });
    expect(verdict.sentences).toEqual([
      "Not comparable: no case passed or failed in both runs.",
      "Not compared: 1 case of the first run alone, 1 case of the second run alone.",
    ]);
  });

  test("of three common cases is that they cannot be compared: they could show no drop", () => {
    const verdict = verdictOf(runs(["p", "p", "p"], ["f", "f", "f"]));
    expect([verdict.outcome, first(verdict)]).toEqual([
      "not_comparable",
      "Not comparable: 3 of the cases passed or failed in both runs, and fewer than 4 can show no drop.",
    ]);
    expect(verdictOf(runs(many(4, "p"), many(4, "f"))).outcome).toBe("regression");
  });

  test.each([
    ["are missing", []],
    ["errored or were skipped", ["e", "e", "e"]],
  ])(
    "of a run in which more than a tenth of the first one's cases %s is that they cannot be compared",
    (_, rest) => {
      const before = many(20, "p");
      expect(verdictOf(runs(before, [...many(18, "p"), ...rest.slice(1)])).outcome).toBe("no_regression");
      const verdict = verdictOf(runs(before, [...many(17, "p"), ...rest]));
      expect([verdict.outcome, first(verdict)]).toEqual([
        "not_comparable",
        "Not comparable: of 20 cases that the first run has a result of, only 17 passed or failed in the second.",
      ]);
    },
  );

  test("names the cases that were left out", () => {
    expect(verdictOf(runs(["p", "p", "e", "p"], ["p", "e", "p"])).sentences).toContain(
      "Not compared: 1 case of the first run alone, 2 cases that errored or were skipped (1 in the second run alone).",
    );
    expect(verdictOf(runs(["p", "e"], ["p", "p"])).sentences).toContain(
      "Not compared: 1 case that errored or was skipped.",
    );
  });

  test("says of a case that half of its attempts pass", () => {
    const { changes } = runs(["pf", "pff"], ["fp", "ffp"]);
    expect(changes).toMatchObject({ samePass: 1, sameFail: 1 });
  });

  test("says of shares that a case passed less often", () => {
    const { sentences, sources } = verdictOf(runs(["ppp", "ppf", "pff"], ["ppf", "ppp", "pff"]));
    expect(sentences).toContain(
      "3 cases passed or failed in both runs: 1 passed less often, 1 passed more often, 1 as often.",
    );
    expect(sentences).toContain(
      "Pass rate: 66.7% before, 66.7% now, a change of 0 points (too few cases for an interval); p = 0.500 by the sign-flip permutation test (all signs).",
    );
    expect(sentences.at(-1)).toMatch(
      /^3 cases can show no drop\. To find one of 5 points takes about \d+ cases\.$/,
    );
    expect(sources.join()).toContain("Fisher 1935");
  });

  test("says that p is less exact if a run has more attempts", () => {
    expect(verdictOf(runs(["p", "p"], ["ppp", "p"])).sentences).toContain(
      "In 1 case one of the runs has more attempts. That makes p less exact: run as many in both.",
    );
  });

  test("of runs that cannot be compared says why, and shows the figures all the same", () => {
    const obstacle = "Not comparable: the runs have other cases.";
    const verdict = verdictOf(worse, { obstacle });
    expect(verdict).toMatchObject({ outcome: "not_comparable", passRate: { pairs: 100 } });
    expect(verdict.sentences).toEqual([obstacle, ...verdictOf(worse).sentences.slice(1)]);
  });
});

describe("with weights", () => {
  const weighed = (letters: string, weightOf: (index: number) => number) =>
    resultsOf(Array.from(letters)).map((result, index) => ({ ...result, weight: weightOf(index) }));
  const compared = (a: string, b: string, weightOf: (index: number) => number) =>
    verdictOf(match(weighed(a, weightOf), weighed(b, weightOf)));

  test("the verdict says how many cases of equal weight say as much, and which count for nothing", () => {
    const { sentences, sources } = compared("pppppp", "fppppf", (index) => [4, 1, 1, 1, 1, 0][index]!);
    expect(sentences).toContain(
      "6 cases passed or failed in both runs: 2 passed less often, 0 passed more often, 4 as often.",
    );
    expect(sentences).toContain(
      "Cases count by their weights: 1 case of weight 0 counts for nothing, and the others say as much as 3 cases of equal weight.",
    );
    expect(sentences.at(-1)).toMatch(/^3 cases can show no drop\./);
    expect(sources.join()).toContain("Kish 1965");
    expect(compared("pppp", "pppf", () => 7).sentences.join()).not.toContain("weight");
  });

  test("cases with much of the weight that are missing are an obstacle, however few they are", () => {
    const heavy = (index: number) => (index === 0 ? 9 : 1);
    expect(first(compared("p".repeat(20), `e${"p".repeat(19)}`, heavy))).toBe(
      "Not comparable: cases with 32.1% of the weight are missing in the second run.",
    );
    expect(compared("p".repeat(20), `e${"p".repeat(19)}`, () => 1).outcome).toBe("no_regression");
  });

  test("of 0 alone nothing can be compared", () => {
    expect(first(compared("pppp", "ffff", () => 0))).toBe(
      "Not comparable: every case that passed or failed in both runs has the weight 0.",
    );
  });

  test("the same version is a regression in at most 70 of 1,000 comparisons of flaky cases", {
    tags: "long",
  }, () => {
    expect(alarms(300, { cases: 100, isWeighted: true })).toBeLessThanOrEqual(0.07);
  });
});

describe("with a score beside pass and fail", () => {
  const higher = scored(Array.from({ length: 20 }, (_, i) => 0.9 - i / 100));
  const lowerBy = (drop: number) => higher.map(({ score, ...rest }) => ({ ...rest, score: score - drop }));

  test("a drop of the score alone is a regression, though every case passes", () => {
    const verdict = verdictOf(match(higher, lowerBy(0.05)));
    expect(verdict).toMatchObject({ outcome: "regression", regressed: ["score"] });
    expect(first(verdict)).toBe("Regression: the score fell by more than noise.");
    expect(verdict.sentences).toContainEqual(
      expect.stringMatching(
        /^Score: 0\.805 before, 0\.755 now, a change of -0\.05 \(90% interval: .*\); p < 0\.001 by/,
      ),
    );
    expect(verdict.sources.join()).toContain("Hochberg 1988");
  });

  test("a drop of exactly what is allowed is no regression", () => {
    expect(verdictOf(match(higher, lowerBy(0.05)), { maxDrop: 0.05 }).regressed).toEqual([]);
    expect(verdictOf(match(higher, lowerBy(0.05)), { maxDrop: 0.049 }).regressed).toEqual(["score"]);
  });

  test("one of the two tests alone has to be below 0.025, and both together below 0.05", () => {
    // Four broken cases have a p of 0.03125.
    const b = [...many(16, "p"), ...many(4, "f")];
    const withScores = (cases: string[], score: (passed: boolean) => number) =>
      resultsOf(cases).map((result) => ({ ...result, score: score(result.status === "passed") }));
    const fellBeside = (score: (passed: boolean) => number) =>
      verdictOf(match(withScores(many(20, "p"), score), withScores(b, score))).fell;
    expect(verdictOf(runs(many(20, "p"), b)).fell).toEqual(["passRate"]);
    expect(fellBeside(() => 1)).toEqual([]);
    expect(fellBeside((passed) => (passed ? 1 : 0.5))).toEqual(["passRate", "score"]);
  });
});
