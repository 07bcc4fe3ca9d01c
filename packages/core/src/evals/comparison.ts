import type { Change, CompareRuns } from "../groups/evals/compare.ts";
import type { Run } from "../groups/evals/schemas.ts";

export const noChanges: Readonly<Record<Change, number>> = {
  fixed: 0,
  broken: 0,
  samePass: 0,
  sameFail: 0,
  onlyA: 0,
  onlyB: 0,
  errored: 0,
};

/** All kinds of changes, in the order of the contract. */
export const allChanges = Object.keys(noChanges) as Change[];

/** The changes that a filter asks for. */
export const changesOf = (only: CompareRuns["only"]): Change[] =>
  only === undefined
    ? allChanges
    : only === "changed"
      ? allChanges.filter((change) => change !== "samePass" && change !== "sameFail")
      : [only];

/** The scores of assertions are compared of so many types. */
export const maxMetrics = 20;
/** More would take seconds. */
const most = { results: 20_000, assertions: 200_000 };

/** Whether the scores of assertions are compared, by how much two runs have together. */
export const hasMetrics = ({ results, assertions = 0 }: { results: number; assertions?: number }): boolean =>
  results <= most.results && assertions <= most.assertions;

/** A run, as far as it decides what can be compared. */
export interface ComparedRun extends Pick<Run, "id" | "status"> {
  datasetId: string | null;
  datasetRevision: number | null;
}

/** Why two runs of a prompt say nothing about each other, whatever their results are. */
export function obstacleBetween({ a, b }: { a: ComparedRun; b: ComparedRun }): string | undefined {
  if (a.id === b.id) return "Not comparable: this is one run. Compare it with another one.";
  const [open] = [a, b].filter(({ status }) => status !== "completed");
  if (open) {
    const which = open === a ? "first" : "second";
    return open.status === "running"
      ? `Not comparable: the ${which} run is still running. Complete it.`
      : `Not comparable: the ${which} run failed. Report it again.`;
  }
  if (a.datasetId !== b.datasetId)
    return "Not comparable: the runs are of different datasets, or one of them is of none.";
  if (a.datasetRevision !== b.datasetRevision)
    return "Not comparable: the cases of the dataset changed between the runs. Report the first version again.";
  return undefined;
}
