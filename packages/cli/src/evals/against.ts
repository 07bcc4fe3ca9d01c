import { parseRef } from "@promptreg/core/refs";
import type { CaseComparison, Run, RunComparison } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Baseline } from "../grammar/arguments.ts";
import { compareRuns, type Found, findBaseline } from "./baseline.ts";

/** How a run did against its baseline. */
export interface Against {
  /** `first`: nothing is there that it could be compared with. */
  outcome: "regression" | "no_regression" | "not_comparable" | "no_baseline" | "first";
  /** What there is to say beside the comparison. */
  notes: string[];
  /** The first page of the broken cases; null without a baseline. */
  comparison: RunComparison | null;
  /** Some cases that pass now. */
  fixed: CaseComparison[];
}

/** The cases that are shown as broken: they are not named again as failed. */
export const brokenKeys = (against: Against | null): ReadonlySet<string> =>
  new Set(against?.comparison?.items.map(({ caseKey }) => caseKey));

/** How many cases are shown of each kind. */
const shown = 10;

/** The run to compare with. */
export interface Chosen {
  found: Found;
  /** Whether no version has another completed run with this model and dataset. */
  isFirst: boolean;
}

/** Chooses the run to compare with, before the new run is completed: afterwards it might be that run itself. */
export async function choose(client: Client, baseline: Baseline, run: Run): Promise<Chosen> {
  const { model, dataset } = run;
  const found = await findBaseline(client, baseline, { prompt: parseRef(run.prompt.ref), model, dataset });
  if ("missing" in found) return { found, isFirst: (await earlierRun(client, run)) === undefined };
  if (found.runId !== run.id || found.versionNumber === null) return { found, isFirst: false };
  // The run was completed by an earlier report with the same external id.
  const earlier = await earlierRun(client, run, found.versionNumber);
  if (earlier) return { found: { ...found, runId: earlier.id }, isFirst: false };
  const missing = `Version ${run.versionNumber} has no other completed run of model ${model}.`;
  return { found: { missing }, isFirst: (await earlierRun(client, run)) === undefined };
}

/** The latest completed run with the same model and dataset, of one version or of any, other than the run itself. */
async function earlierRun(
  client: Client,
  { id, prompt, model, dataset }: Run,
  version?: number,
): Promise<Run | undefined> {
  // The name of a deleted dataset leads to no other runs.
  if (dataset !== null && dataset.id === null) return undefined;
  const query = { prompt: prompt.ref, version, model, dataset: dataset?.id ?? "none", limit: 2 };
  const { items } = await client.evals.runs.list({ query: { ...query, status: "completed" } });
  return items.find((one) => one.id !== id);
}

/** Compares a run that has ended with the one that was chosen for it. */
export async function compareWith(
  client: Client,
  run: Run,
  { chosen: { found, isFirst }, maxDrop }: { chosen: Chosen; maxDrop: number | undefined },
): Promise<Against> {
  if ("missing" in found) return without(found.missing, isFirst);
  const query = { a: found.runId, b: run.id, maxDrop, limit: shown };
  const comparison = await compareRuns(client, { ...query, only: "broken" });
  const { verdict, summary } = comparison;
  const fixed = summary?.fixed
    ? (await client.evals.compare({ query: { ...query, only: "fixed" } })).items
    : [];
  const isSame = comparison.a.versionNumber === run.versionNumber;
  return {
    outcome: verdict?.outcome ?? "not_comparable",
    notes: isSame
      ? [
          `The baseline is an earlier run of the same version ${run.versionNumber}: it shows what changed beside the prompt.`,
        ]
      : [],
    comparison,
    fixed,
  };
}

function without(missing: string, isFirst: boolean): Against {
  const first =
    "This is the first run of this model and dataset, so no comparison is missing. If the baseline has no run by the next report, --fail-on-regression fails that one.";
  const notes = isFirst ? [missing, first] : [missing];
  return { outcome: isFirst ? "first" : "no_baseline", notes, comparison: null, fixed: [] };
}

/**
 * The exit code of a report: of a regression, of a verdict that is fail, of what cannot be compared. The first run of its
 * kind passes: else no pipeline could ever begin.
 */
export function exitCodeOf(run: Run, against: Against | null, failOnRegression: boolean): number {
  const outcome = failOnRegression ? against?.outcome : undefined;
  if (outcome === "regression") return exitCodes.regression[0];
  if (run.verdict === "fail") return exitCodes.evalFailed[0];
  const isUnknown = outcome === "not_comparable" || outcome === "no_baseline";
  return exitCodes[isUnknown ? "notComparable" : "ok"][0];
}
