import type { VersionScore } from "@promptreg/core";
import { compareTexts } from "@promptreg/core/evals";
import type { Handler } from "../handler.ts";
import { pageOf } from "../page.ts";
import type { World } from "../world.ts";
import { isOn, pinnedLike, runsOf } from "./runs.ts";
import { isOwnerOf, shownDataset } from "./show.ts";
import type { StoredRun } from "./stored.ts";

type Key = readonly [versionNumber: number, model: string, dataset: string];
const keyOf = ({ versionNumber, model, dataset }: StoredRun): Key => [
  versionNumber,
  model,
  dataset?.id ?? "",
];

/** The newest version first. The server lists the datasets of a version and model in an order that means nothing. */
const compareKeys = (one: Key, other: Key): number =>
  other[0] - one[0] || compareTexts(one[1], other[1]) || compareTexts(one[2], other[2]);

export const scores: Handler<"evals.scores"> = ({ query, caller, target: prompt, world }) => {
  const { version, model, dataset } = query;
  const isOwner = isOwnerOf(prompt, caller);
  const completed = runsOf(world, prompt).filter(({ status }) => status === "completed");
  const found = completed.filter(
    (run) =>
      run.versionNumber === (version ?? run.versionNumber) &&
      run.model === (model ?? run.model) &&
      (dataset === undefined || isOn(world, run, { dataset, isOwner })),
  );
  const latest = new Map(found.toReversed().map((run) => [JSON.stringify(keyOf(run)), run]));
  return pageOf(
    [...latest.values()].sort((a, b) => compareKeys(keyOf(a), keyOf(b))),
    {
      list: ["evals.scores"],
      query,
      keyOf,
      isAfter: (run, key) => compareKeys(keyOf(run), key) > 0,
      show: (run) => showScore(world, run, { completed, isOwner }),
    },
  );
};

function showScore(
  world: World,
  run: StoredRun,
  { completed, isOwner }: { completed: readonly StoredRun[]; isOwner: boolean },
): VersionScore {
  const passRate = run.summary?.passRate ?? null;
  const before = precedingOf(run, completed)?.summary?.passRate ?? null;
  return {
    versionNumber: run.versionNumber,
    model: run.model,
    dataset: shownDataset(world, run, isOwner),
    runId: run.id,
    verdict: run.verdict,
    cases: run.summary?.cases ?? 0,
    passRate,
    score: run.summary?.score ?? null,
    finishedAt: run.finishedAt ?? "",
    pinnedRunId: pinnedLike(world, run)[0]?.id ?? null,
    trend: passRate === null || before === null ? null : passRate - before,
  };
}

/** The latest run of the preceding version that has one with the same model on the same cases. */
const precedingOf = (run: StoredRun, completed: readonly StoredRun[]): StoredRun | undefined =>
  completed
    .filter(
      ({ versionNumber, model, dataset }) =>
        versionNumber < run.versionNumber &&
        model === run.model &&
        dataset?.id === run.dataset?.id &&
        dataset?.revision === run.dataset?.revision,
    )
    .toSorted((a, b) => b.versionNumber - a.versionNumber)[0];
