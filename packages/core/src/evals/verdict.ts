import type { EvalVerdict } from "../groups/evals/compare.ts";
import { judge } from "./judge.ts";
import { minCases } from "./power.ts";
import type { MeasuredRuns } from "./samples.ts";
import { matchedIn, percent, sentencesOf, sourcesOf } from "./sentences.ts";

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
    sources: sourcesOf(runs),
  };
}

/** Why the results say nothing of a regression. A gate must not pass because cases are missing, or those that weigh most. */
function obstacleIn(runs: MeasuredRuns): string | undefined {
  const { changes, erroredInB, passRate, weight, missingWeight } = runs;
  const pairs = passRate?.pairs ?? 0;
  if (pairs === 0)
    return matchedIn(runs) === 0
      ? "Not comparable: no case passed or failed in both runs."
      : "Not comparable: every case that passed or failed in both runs has the weight 0.";
  if (pairs < minCases)
    return `Not comparable: ${pairs} of the cases passed or failed in both runs, and fewer than ${minCases} can show no drop.`;
  const missing = changes.onlyA + erroredInB;
  if (missing * 10 > pairs + missing)
    return `Not comparable: of ${pairs + missing} cases that the first run has a result of, only ${pairs} passed or failed in the second.`;
  if (missingWeight * 10 > weight + missingWeight)
    return `Not comparable: cases with ${percent(missingWeight / (weight + missingWeight))} of the weight are missing in the second run.`;
  return undefined;
}
