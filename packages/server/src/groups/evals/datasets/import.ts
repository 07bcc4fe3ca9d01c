import type { ImportProblem, ImportedCases } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../../database/sql.ts";
import type { HandlerWith } from "../../../kernel/handler.ts";
import { placeAfter, placeCases, requireRoom } from "./cases.ts";
import { appendCases, type PlacedCase, replaceCases } from "./cases.sql.ts";
import type { DatasetRow } from "../dataset-target.ts";
import { touchCases } from "../datasets.sql.ts";
import { maxProblems, type ReadCases, readCases } from "./read-cases.ts";

/** What an import writes, and where. */
interface Import {
  dataset: DatasetRow;
  file: ReadCases;
  dryRun: boolean;
}

export const importCases: HandlerWith<"evals.datasets.import", { prepared: ReadCases }> = {
  async prepare({ body, bodyType }) {
    const file = await readCases(body, bodyType);
    // An empty file would also empty the dataset.
    if (file.cases.length + file.problems.length > 0) return file;
    throw apiError("validation_failed", { message: "The file has no cases." });
  },

  async handle({ query: { mode = "append", dryRun = false }, target: dataset, prepared: file, sql }) {
    const work = mode === "append" ? append : replace;
    const imported =
      file.problems.length > 0 ? nothing(file.problems) : await work(sql, { dataset, file, dryRun });
    if (imported.errors.length > 0 && !dryRun) throw refused(imported.errors);
    return { status: 200, json: imported };
  },
};

const nothing = (errors: ImportProblem[]): ImportedCases => ({ added: 0, skipped: 0, removed: 0, errors });

function refused(errors: readonly ImportProblem[]) {
  const details = errors.map(({ line, path, message }) => ({
    path: `/lines/${line}${path}`,
    code: "custom",
    message,
  }));
  const [{ line, path, message } = { line: 1, path: "", message: "" }] = errors;
  return apiError("validation_failed", {
    message: `Nothing was imported. Line ${line}${path && `, ${path}`}: ${message}.`,
    details,
  });
}

async function append(sql: Sql, { dataset, file, dryRun }: Import): Promise<ImportedCases> {
  const { id, caseCount, lastPosition } = dataset;
  const cases: PlacedCase[] = await placeAfter(sql, dataset, file.cases);
  const { known } = await appendCases(sql, { datasetId: id, cases, dryRun });
  const others = known.filter(({ isSame }) => !isSame);
  if (others.length > 0) {
    const message = "The dataset has a case with this key and another content";
    return nothing(
      others.slice(0, maxProblems).map(({ position }) => ({
        line: file.lines[position - lastPosition - 1] ?? 0,
        path: "/key",
        message,
      })),
    );
  }
  const added = cases.length - known.length;
  requireRoom(caseCount + added);
  if (added > 0 && !dryRun) {
    await touchCases(sql, { id, caseCount: caseCount + added, lastPosition: lastPosition + cases.length });
  }
  return { added, skipped: known.length, removed: 0, errors: [] };
}

async function replace(sql: Sql, { dataset: { id }, file, dryRun }: Import): Promise<ImportedCases> {
  const cases = placeCases(file.cases, { lastPosition: 0, taken: [] });
  const { same, removed, isChanged } = await replaceCases(sql, { datasetId: id, cases, dryRun });
  if (isChanged && !dryRun) {
    await touchCases(sql, { id, caseCount: cases.length, lastPosition: cases.length });
  }
  return { added: cases.length - same, skipped: same, removed, errors: [] };
}
