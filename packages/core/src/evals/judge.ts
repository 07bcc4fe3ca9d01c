import type { Difference, EvalVerdict } from "../groups/evals/compare.ts";

/** The measures that decide. The scores of assertions are shown, and do not decide. */
export type Measure = "passRate" | "score";
export type Measured = Record<Measure, Difference | null>;

/** What a comparison comes to. */
export interface Judgement {
  outcome: EvalVerdict["outcome"];
  /** The measures that fell by more than noise. */
  fell: Measure[];
  /** Those of `fell` that fell by more than `maxDrop`: with one of them, it is a regression. */
  regressed: Measure[];
}

/** The level of the tests, one-sided. */
const level = 0.05;
/** A mean that fell by exactly what is allowed misses it by the rounding of sums. */
const rounding = 1e-9;

export function judge(
  measured: Measured,
  { maxDrop, obstacle }: { maxDrop: number; obstacle: string | undefined },
): Judgement {
  const fell = fellIn(measured);
  const regressed = fell.filter((measure) => -measured[measure]!.change > maxDrop + rounding);
  const outcome = obstacle ? "not_comparable" : regressed.length > 0 ? "regression" : "no_regression";
  return { outcome, fell, regressed };
}

/**
 * The measures that fell by more than noise, by the rule of Hochberg 1988: both, if both tests are below the level;
 * otherwise one, if it is below half of the level. Two tests at the full level would raise up to twice as many false alarms.
 */
function fellIn(measured: Measured): Measure[] {
  const measures = (["passRate", "score"] as const).filter((measure) => measured[measure] !== null);
  const isBelow = (limit: number) => (measure: Measure) => measured[measure]!.pWorse < limit;
  return measures.every(isBelow(level)) ? measures : measures.filter(isBelow(level / measures.length));
}
