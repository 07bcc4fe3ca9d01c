import type { Comparison } from "./compare.ts";

/** What a gate allows. All are shares, from 0 to 1. */
export interface VerdictOptions {
  /** A drop up to this is no regression, even if it is more than noise. Default: 0. */
  maxDrop?: number;
  /** The least pass rate of the second run. It counts as the registry does: what errored has not passed. Default: 0. */
  threshold?: number;
}

/** The measures that decide. Named scores are shown, and do not decide. */
export type Measure = "passed" | "score";

/** The verdict as data. */
export interface Judgement {
  verdict: "regression" | "no_regression" | "not_comparable";
  /** The measures that fell by more than noise. */
  fell: Measure[];
  /** Those of `fell` that fell by more than `maxDrop`: with one of them, it is a regression. */
  regressed: Measure[];
  /** Whether the second run misses the threshold. It changes nothing in `verdict`. */
  isBelowThreshold: boolean;
}

/** The level of the tests, one-sided. */
const level = 0.05;
/** A mean that fell by exactly what is allowed misses it by the rounding of sums. */
const rounding = 1e-9;

export function judge(comparison: Comparison, { maxDrop, threshold }: Required<VerdictOptions>): Judgement {
  const fell = fellIn(comparison);
  const regressed = fell.filter((measure) => -comparison[measure]!.change > maxDrop + rounding);
  const { passed, failed, errored } = comparison.totals.b;
  const passRate = passed / (passed + failed + errored);
  return {
    verdict:
      comparison.passed === null ? "not_comparable" : regressed.length > 0 ? "regression" : "no_regression",
    fell,
    regressed,
    // A run without results has no rate, and reaches no threshold.
    isBelowThreshold: threshold > 0 && !(passRate >= threshold),
  };
}

/**
 * The measures that fell by more than noise, by the rule of Hochberg 1988: both, if both tests are below the level;
 * otherwise one, if it is below half of the level. Two tests at the full level would raise up to twice as many false alarms.
 */
function fellIn(comparison: Comparison): Measure[] {
  const measures = (["passed", "score"] as const).filter((measure) => comparison[measure] !== null);
  const isBelow = (limit: number) => (measure: Measure) => comparison[measure]!.pWorse < limit;
  return measures.every(isBelow(level)) ? measures : measures.filter(isBelow(level / measures.length));
}
