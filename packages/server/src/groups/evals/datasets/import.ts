import { type ImportProblem, warnOfAssertions } from "@promptreg/core";
import {
  type Imported,
  maxProblems,
  nothingImported,
  otherContent,
  type PlacedCase,
  placeCases,
  type ReadCases,
  refuseImport,
  requireCases,
  requireRoom,
} from "@promptreg/core/evals";
import type { Sql } from "../../../database/sql.ts";
import type { HandlerWith } from "../../../kernel/handler.ts";
import { placeAfter } from "./cases.ts";
import { appendCases, deleteOtherCases, putCases } from "./cases.sql.ts";
import type { DatasetRow } from "../dataset-target.ts";
import { touchCases } from "../datasets.sql.ts";
import { readCases } from "./read-cases.ts";

/** What an import writes, and where. */
interface Import {
  dataset: DatasetRow;
  file: ReadCases;
  dryRun: boolean;
}

export const importCases: HandlerWith<"evals.datasets.import", { prepared: ReadCases }> = {
  async prepare({ body, bodyType }) {
    const file = await readCases(body, bodyType);
    requireCases(file);
    return file;
  },

  async handle({ query: { mode = "append", dryRun = false }, target: dataset, prepared: file, sql }) {
    const work = mode === "append" ? append : replace;
    const imported: Imported =
      file.problems.length > 0 ? nothingImported(file.problems) : await work(sql, { dataset, file, dryRun });
    if (!dryRun) refuseImport(imported.errors);
    return { status: 200, json: { ...imported, warnings: warnOfAssertions(file.unknownAssertions) } };
  },
};

async function append(sql: Sql, { dataset, file, dryRun }: Import): Promise<Imported> {
  const { id: datasetId, caseCount, lastPosition } = dataset;
  const cases: PlacedCase[] = await placeAfter(sql, dataset, file.cases);
  const errors: ImportProblem[] = [];
  let skipped = 0;
  for (const batch of batches(cases, file.sizes)) {
    const { known } = await appendCases(sql, { datasetId, cases: batch, dryRun });
    for (const { position, isSame } of known) {
      if (isSame) skipped += 1;
      else errors.push(otherContent(file.lines[position - lastPosition - 1]));
    }
    if (errors.length >= maxProblems) break;
  }
  if (errors.length > 0) return nothingImported(errors.slice(0, maxProblems));
  const added = cases.length - skipped;
  requireRoom(caseCount + added);
  if (added > 0 && !dryRun) {
    const last = lastPosition + cases.length;
    await touchCases(sql, { id: datasetId, caseCount: caseCount + added, lastPosition: last });
  }
  return { added, skipped, removed: 0, errors: [] };
}

async function replace(sql: Sql, { dataset: { id: datasetId }, file, dryRun }: Import): Promise<Imported> {
  const cases = placeCases(file.cases, { lastPosition: 0, taken: [] });
  const keys = cases.map(({ key }) => key);
  const removed = await deleteOtherCases(sql, { datasetId, keys, dryRun });
  let [skipped, written] = [0, 0];
  for (const batch of batches(cases, file.sizes)) {
    const put = await putCases(sql, { datasetId, cases: batch, dryRun });
    skipped += put.same;
    written += put.written;
  }
  if (removed + written > 0 && !dryRun) {
    await touchCases(sql, { id: datasetId, caseCount: cases.length, lastPosition: cases.length });
  }
  return { added: cases.length - skipped, skipped, removed, errors: [] };
}

/** To print a batch for the database keeps other requests waiting: it has about a megabyte at most. */
const maxBatch = { cases: 500, size: 1_000_000 };

/** Parts the cases of a file into those of one statement. */
export function* batches<Case>(cases: readonly Case[], sizes: readonly number[]): Generator<Case[]> {
  let from = 0;
  let size = 0;
  for (let to = 1; to <= cases.length; to += 1) {
    size += sizes[to - 1] ?? 0;
    const isFull = to - from === maxBatch.cases || size + (sizes[to] ?? 0) > maxBatch.size;
    if (!isFull && to < cases.length) continue;
    yield cases.slice(from, to);
    from = to;
    size = 0;
  }
}
