import type { Change, Difference } from "../groups/evals/compare.ts";
import { mcNemarMidP, passRateInterval } from "./mcnemar.ts";
import { signFlip } from "./sign-flip.ts";

/** One measure over the cases that have it in both runs. */
export interface Sample {
  pairs: number;
  /** The sum over the cases of the first run. */
  a: number;
  b: number;
  /** `b` less `a` of each case where it is not zero, in any order. */
  differences: readonly number[];
}

/**
 * Two runs, matched case by case. The attempts of a case are averaged first; taken one by one, they would be counted as
 * evidence that they are not. A case that errored or was skipped in one of the runs is no pair.
 */
export interface MatchedRuns {
  changes: Record<Change, number>;
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

/**
 * How two runs differ in the pass rate; null without pairs. If every case either always passes or always fails, as with one
 * attempt, the test is McNemar's mid-p over fixed and broken cases. Otherwise it is the sign-flip test.
 */
export const passRateDifference = (sample: Sample): Difference | null =>
  differenceOf(sample, sample.differences.every(Number.isInteger) ? mcNemar : signFlip);

/** How two runs differ in a score; null without pairs. */
export const scoreDifference = (sample: Sample): Difference | null => differenceOf(sample, signFlip);

/** The same for the score of an assertion, which decides nothing: twenty samplings would keep other requests waiting. */
export const metricDifference = (sample: Sample): Difference | null =>
  differenceOf(sample, (differences, pairs) => signFlip(differences, pairs, { isQuick: true }));

interface Tested extends Pick<Difference, "pWorse" | "method"> {
  interval: [number, number] | null;
}

function differenceOf(
  { pairs, a, b, differences }: Sample,
  test: (differences: readonly number[], pairs: number) => Tested,
): Difference | null {
  if (pairs === 0) return null;
  const change = differences.reduce((sum, difference) => sum + difference, 0) / pairs;
  const { interval, ...tested } = test(differences, pairs);
  const squares = differences.reduce((sum, difference) => sum + difference ** 2, 0);
  return {
    pairs,
    a: a / pairs,
    b: b / pairs,
    change,
    interval: interval && { low: interval[0], high: interval[1] },
    ...tested,
    variance: Math.max(squares / pairs - change ** 2, 0),
  };
}

function mcNemar(differences: readonly number[], pairs: number): Tested {
  const broken = differences.filter((difference) => difference < 0).length;
  const fixed = differences.length - broken;
  return {
    pWorse: mcNemarMidP(broken, fixed),
    interval: passRateInterval(broken, fixed, pairs),
    method: "mcnemar_mid_p",
  };
}
