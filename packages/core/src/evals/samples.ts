import type { Change, Difference } from "../groups/evals/compare.ts";
import { mcNemarMidP, passRateInterval } from "./mcnemar.ts";
import { type Differences, signFlip } from "./sign-flip.ts";

/**
 * One measure over the cases that have it in both runs, without those of weight 0. A difference is `b` less `a` of a case. All sums
 * are of a value with the weight of its case.
 */
export interface Sample extends Differences {
  /** The sum over the cases of the first run. */
  a: number;
  b: number;
  /** `w * d * d` */
  squares: number;
  /** Whether no difference is other than -1, 0 or 1. */
  isWhole: boolean;
  /** The least weight of a case; null without cases. */
  lightest: number | null;
  heaviest: number | null;
}

/**
 * Two runs, matched case by case. The attempts of a case are averaged first; taken one by one, they would be counted as
 * evidence that they are not. A case that errored or was skipped in one of the runs is no pair.
 */
export interface MatchedRuns {
  changes: Record<Change, number>;
  /** The weight of the cases of the first run that passed or failed there and have no pair, because the second has no such result. */
  missingWeight: number;
  /** Of `errored`, the cases that passed or failed in `a`: those that only errored in `b` or were skipped there. */
  erroredInB: number;
  /**
   * The pairs with more attempts in one of the runs. They make the tests less exact: with more attempts in `b`, false alarms
   * are more frequent than one in twenty.
   */
  unequalAttempts: number;
  /** Of each case the share of its attempts that passed. */
  passRate: Sample;
  /** The overall score. */
  score: Sample;
  /** The scores of assertions by type; null if there are too many to compare. */
  metrics: ({ name: string } & Sample)[] | null;
}

/** Two runs, matched and tested: the same for every viewer, whatever drop is allowed. */
export interface MeasuredRuns extends Omit<MatchedRuns, "passRate" | "score" | "metrics"> {
  passRate: Difference | null;
  score: Difference | null;
  metrics: ({ name: string } & Difference)[] | null;
  /** The weight of the pairs of `passRate`. */
  weight: number;
  /** How many cases of equal weight would say as much as the pairs of `passRate` (Kish 1965); as many as there are if all weigh the same. */
  effectivePairs: number;
}

/** Rises with every change of how results are matched or measured. Figures that are stored carry it. */
export const methodNumber = 2;

/** Tests the differences of two runs. It takes some hundredths of a second at most. */
export const measure = ({ passRate, score, metrics, ...runs }: MatchedRuns): MeasuredRuns => ({
  ...runs,
  weight: passRate.weight,
  effectivePairs: isEven(passRate) ? passRate.pairs : passRate.weight ** 2 / passRate.weightSquares,
  passRate: passRateDifference(passRate),
  score: scoreDifference(score),
  metrics:
    metrics?.flatMap(({ name, ...sample }) => {
      const difference = metricDifference(sample);
      return difference ? [{ name, ...difference }] : [];
    }) ?? null,
});

/**
 * How two runs differ in the pass rate; null without pairs. If every case either always passes or always fails, as with one
 * attempt, and weighs the same, the test is McNemar's mid-p over fixed and broken cases. Otherwise it is the sign-flip test.
 */
export const passRateDifference = (sample: Sample): Difference | null =>
  differenceOf(sample, sample.isWhole && isEven(sample) ? mcNemar : signFlip);

/** How two runs differ in a score; null without pairs. */
export const scoreDifference = (sample: Sample): Difference | null => differenceOf(sample, signFlip);

/** The same for the score of an assertion, which decides nothing: twenty samplings would keep other requests waiting. */
export const metricDifference = (sample: Sample): Difference | null =>
  differenceOf(sample, (flippable) => signFlip(flippable, { isQuick: true }));

const isEven = ({ lightest, heaviest }: Sample): boolean => lightest === heaviest;

interface Tested extends Pick<Difference, "pWorse" | "method"> {
  interval: [number, number] | null;
}

function differenceOf(sample: Sample, test: (sample: Sample) => Tested): Difference | null {
  const { pairs, weight, a, b, sum, squares } = sample;
  if (pairs === 0) return null;
  const change = sum / weight;
  const { interval, ...tested } = test(sample);
  return {
    pairs,
    a: a / weight,
    b: b / weight,
    change,
    interval: interval && { low: interval[0], high: interval[1] },
    ...tested,
    variance: Math.max(squares / weight - change ** 2, 0),
  };
}

const mcNemar = ({ fell, rose, pairs }: Sample): Tested => ({
  pWorse: mcNemarMidP(fell, rose),
  interval: passRateInterval(fell, rose, pairs),
  method: "mcnemar_mid_p",
});
