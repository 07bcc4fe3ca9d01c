import type { EvalVerdict } from "../groups/evals/compare.ts";
import { judge } from "./judge.ts";
import { minCases } from "./power.ts";
import type { MeasuredRuns } from "./samples.ts";
import { sentencesOf, sourcesOf } from "./sentences.ts";

export interface VerdictOptions {
  /** A drop up to this share is no regression, even if it is more than noise. From 0 to 1. Default: 0. */
  maxDrop?: number | undefined;
  /** Why the runs cannot be compared, such as other cases: a sentence. Their figures are shown all the same. */
  obstacle?: string | undefined;
}

/** Whether the second run is worse than the first by more than noise. */
export function verdictOf(
  runs: MeasuredRuns,
  { maxDrop = 0, obstacle = obstacleIn(runs) }: VerdictOptions = {},
): EvalVerdict {
  const { passRate, score, metrics } = runs;
  const judgement = judge({ passRate, score }, { maxDrop, obstacle });
  return {
    ...judgement,
    passRate,
    score,
    metrics,
    sentences: sentencesOf(runs, judgement, { maxDrop, obstacle }),
    sources: sourcesOf({ passRate, score, metrics: metrics ?? [] }),
  };
}

/** Why the results say nothing of a regression. A gate must not pass because cases are missing. */
function obstacleIn({ changes: { onlyA }, erroredInB, passRate }: MeasuredRuns): string | undefined {
  const pairs = passRate?.pairs ?? 0;
  if (pairs === 0) return "Not comparable: no case passed or failed in both runs.";
  if (pairs < minCases)
    return `Not comparable: ${pairs} of the cases passed or failed in both runs, and fewer than ${minCases} can show no drop.`;
  const missing = onlyA + erroredInB;
  if (missing * 10 <= pairs + missing) return undefined;
  return `Not comparable: of ${pairs + missing} cases that the first run has a result of, only ${pairs} passed or failed in the second.`;
}
