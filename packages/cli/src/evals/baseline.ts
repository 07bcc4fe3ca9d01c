import type { Change, CompareRuns, EvalVerdict, RunComparison } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import { apiError } from "@promptreg/core/errors";
import type { Baseline } from "../grammar/arguments.ts";
import { type Address, getPrompt, refOf } from "../prompts/index.ts";
import { type Conditions, howToReport, whereOf } from "./words.ts";

export type { Conditions } from "./words.ts";

/** A run, or a sentence that says why there is none and what to do. */
export type Found = { runId: string; versionNumber: number | null } | { missing: string };

/**
 * Finds the run that a `--baseline` means: of a version or of the version that a label points to now, the latest completed run
 * with the same model and dataset. Ask before the new run is completed: afterwards it may be that run itself.
 */
export async function findBaseline(
  client: Client,
  baseline: Baseline,
  conditions: Conditions,
): Promise<Found> {
  if ("run" in baseline) return { runId: baseline.run, versionNumber: null };
  if ("version" in baseline) return latestRun(client, baseline.version, conditions);
  const { label } = baseline;
  const version = await versionOf(client, conditions.prompt, label);
  if (version !== null) return latestRun(client, version, conditions);
  return { missing: `${refOf(conditions.prompt)} has no label ${label}: there is nothing to compare with.` };
}

/** The version that a label points to; null without one. */
export async function versionOf(client: Client, prompt: Address, label: string): Promise<number | null> {
  const { labels, latestVersion } = await getPrompt(client, prompt);
  if (label === "latest") return latestVersion;
  return Object.hasOwn(labels, label) ? (labels[label] ?? null) : null;
}

/** Finds the latest completed run of a version. */
export async function latestRun(client: Client, version: number, conditions: Conditions): Promise<Found> {
  const { prompt, model, dataset } = conditions;
  // The name of a deleted dataset leads to no other runs.
  const id = dataset === null ? "none" : dataset.id;
  const { items } =
    id === null
      ? { items: [] }
      : await client.evals.scores({
          query: { prompt: refOf(prompt), version, model, dataset: id, limit: 1 },
        });
  const [score] = items;
  if (score) return { runId: score.runId, versionNumber: version };
  return {
    missing: `Version ${version} of ${refOf(prompt)} has no completed run ${whereOf(conditions)}. ${howToReport(version, conditions)}`,
  };
}

/**
 * Finds a dataset of a prompt by its name or its id.
 * @throws {ApiError} `not_found`
 */
export async function findDataset(client: Client, prompt: Address, name: string) {
  for await (const dataset of client.evals.datasets.list({ query: { prompt: refOf(prompt), limit: 100 } }))
    if (dataset.name === name || dataset.id === name) return dataset;
  throw apiError("not_found", {
    message: `${refOf(prompt)} has no dataset ${name}, or you cannot see it. \`promptreg dataset list ${refOf(prompt)}\` lists those that you see.`,
  });
}

/** The filter for a dataset that is named on the command line: the registry knows it by its id, and `none` as it is. */
export const datasetFilter = async (client: Client, prompt: Address, dataset: string | undefined) =>
  dataset === undefined || dataset === "none" ? dataset : (await findDataset(client, prompt, dataset)).id;

/** Compares two runs: the first page, which holds the verdict. */
export async function compareRuns(
  client: Client,
  query: CompareRuns,
): Promise<RunComparison & { verdict: EvalVerdict; summary: Record<Change, number> }> {
  const { verdict, summary, ...page } = await client.evals.compare({ query });
  if (verdict === null || summary === null) throw new Error("the first page of a comparison has no verdict");
  return { ...page, verdict, summary };
}
