import { type Case, warnOfAssertions } from "@promptreg/core";
import {
  CaseReader,
  type Imported,
  maxProblems,
  nothingImported,
  otherContent,
  placeCases,
  type ReadCases,
  refuseImport,
  requireCases,
  requireRoom,
} from "@promptreg/core/evals";
import type { Handler } from "../handler.ts";
import type { World } from "../world.ts";
import { caseOf, changeCases, placeAfter } from "./cases.ts";
import { isSame } from "./jsonb.ts";
import { casesByKey } from "./show.ts";
import type { StoredDataset } from "./stored.ts";

/**
 * Reads a file of cases.
 * @throws {ApiError} `payload_too_large`, or `validation_failed` for an empty one.
 */
export function readFile(text: string, type: string): ReadCases {
  const reader = new CaseReader(type);
  for (const _ of reader.add(text, { isLast: true }));
  requireCases(reader.read);
  return reader.read;
}

/** An import, and where it goes. */
interface Import {
  dataset: StoredDataset;
  file: ReadCases;
  dryRun: boolean;
}

export const importCases: Handler<"evals.datasets.import"> = ({
  query,
  content: file,
  target: dataset,
  world,
}) => {
  const { mode = "append", dryRun = false } = query;
  const work = mode === "append" ? append : replace;
  const imported =
    file.problems.length > 0 ? nothingImported(file.problems) : work(world, { dataset, file, dryRun });
  if (!dryRun) refuseImport(imported.errors);
  return { status: 200, json: { ...imported, warnings: warnOfAssertions(file.unknownAssertions) } };
};

/** Whether two cases have the same content. */
const isLike = (one: Case, other: Case) => isSame({ ...one, id: other.id, position: other.position }, other);

function append(world: World, { dataset, file, dryRun }: Import): Imported {
  const known = casesByKey(dataset);
  const placed = placeAfter(dataset, file.cases).map((one, nth) => ({
    one: caseOf("", one),
    line: file.lines[nth],
  }));
  const errors = placed.flatMap(({ one, line }) => {
    const earlier = known.get(one.key);
    return earlier && !isLike(one, earlier) ? otherContent(line) : [];
  });
  if (errors.length > 0) return nothingImported(errors.slice(0, maxProblems));
  const added = placed.flatMap(({ one }) => (known.has(one.key) ? [] : { ...one, id: world.newId("ecs") }));
  requireRoom(dataset.cases.size + added.length);
  if (added.length > 0 && !dryRun) {
    const cases = new Map([...dataset.cases, ...added.map((one) => [one.id, one] as const)]);
    changeCases(world, dataset, { cases, lastPosition: dataset.lastPosition + placed.length });
  }
  return { added: added.length, skipped: placed.length - added.length, removed: 0, errors: [] };
}

function replace(world: World, { dataset, file, dryRun }: Import): Imported {
  const known = casesByKey(dataset);
  const cases = placeCases(file.cases, { lastPosition: 0, taken: [] }).map((one) =>
    caseOf(known.get(one.key)?.id ?? world.newId("ecs"), one),
  );
  const kept = cases.filter(({ id }) => dataset.cases.has(id));
  const skipped = kept.filter((one) => isLike(one, dataset.cases.get(one.id)!));
  const removed = dataset.cases.size - kept.length;
  const isChanged = removed > 0 || cases.some((one) => !isSame(one, dataset.cases.get(one.id)));
  if (isChanged && !dryRun) {
    const all = new Map(cases.map((one) => [one.id, one]));
    changeCases(world, dataset, { cases: all, lastPosition: cases.length });
  }
  return { added: cases.length - skipped.length, skipped: skipped.length, removed, errors: [] };
}
