import type { Case, Result, Run } from "@promptreg/core";
import { refOf } from "../show.ts";
import type { Caller, StoredPrompt, World } from "../world.ts";
import type { StoredDataset, StoredResult, StoredRun } from "./stored.ts";
import { summaryOf } from "./summary.ts";

/** The dataset of a run, also if it was deleted. */
export const datasetOf = (
  world: World,
  { dataset }: Pick<StoredRun, "dataset">,
): StoredDataset | undefined => (dataset === null ? undefined : world.datasets.get(dataset.id));

/** The dataset of a run, unless it was deleted. */
export function liveDatasetOf(world: World, run: Pick<StoredRun, "dataset">): StoredDataset | undefined {
  const dataset = datasetOf(world, run);
  return dataset?.isDeleted ? undefined : dataset;
}

/** Whether whoever sees a run may read all of it. */
export const isOpen = (world: World, run: StoredRun): boolean =>
  liveDatasetOf(world, run)?.visibility === "public";

export const promptOf = (world: World, { promptId }: { promptId: string }): StoredPrompt =>
  world.prompts.get(promptId) as StoredPrompt;

export const isOwnerOf = (prompt: StoredPrompt, caller: Caller | null): boolean =>
  caller?.id === prompt.owner.id;

/** The dataset of a run, as those see it who may. */
export function shownDataset(world: World, run: StoredRun, isOwner: boolean): Run["dataset"] {
  if (run.dataset === null || !(isOwner || isOpen(world, run))) return null;
  return { ...run.dataset, id: liveDatasetOf(world, run)?.id ?? null };
}

/** A run, as its owner or somebody else sees it. */
export function showRun(world: World, run: StoredRun, { isOwner }: { isOwner: boolean }): Run {
  const { versionNumber, model, modelId, params, status, verdict, verdictSource, pinned, threshold } = run;
  const isSeen = isOwner || isOpen(world, run);
  return {
    id: run.id,
    prompt: { ref: refOf(promptOf(world, run)) },
    versionNumber,
    dataset: shownDataset(world, run, isOwner),
    model,
    modelId,
    params,
    status,
    verdict,
    verdictSource,
    pinned,
    threshold,
    summary: run.summary ?? summaryOf(run.results.values(), null),
    error: isOwner ? run.error : null,
    source: isSeen ? run.source : null,
    externalId: isOwner ? run.externalId : null,
    createdBy: run.createdBy,
    createdAt: run.createdAt,
    finishedAt: run.finishedAt,
  };
}

/** A result, with the cases of its dataset by key. */
export const showResult = (
  { assertions, ...result }: StoredResult,
  cases: ReadonlyMap<string, Case>,
): Result => ({
  ...result,
  caseId: cases.get(result.caseKey)?.id ?? null,
  assertions: assertions.map(({ type, passed, score = null, reason = null }) => ({
    type,
    passed,
    score,
    reason,
  })),
});

/** The cases of a dataset by key. */
export const casesByKey = (dataset: StoredDataset | undefined): ReadonlyMap<string, Case> =>
  new Map(Array.from(dataset?.cases.values() ?? [], (one) => [one.key, one]));
