import { apiError, invalid } from "../catalogue/errors.ts";
import type { ImportedCases, ImportProblem } from "../groups/evals/import.ts";
import type { ReadCases } from "./read-cases.ts";

/** What an import did. Its warnings are about the file. */
export type Imported = Omit<ImportedCases, "warnings">;

/** @throws {ApiError} `validation_failed`: an empty file would also empty the dataset. */
export function requireCases({ cases, problems }: ReadCases): void {
  if (cases.length + problems.length === 0) throw invalid("", "The file has no cases.");
}

export const nothingImported = (errors: ImportProblem[]): Imported => ({
  added: 0,
  skipped: 0,
  removed: 0,
  errors,
});

export const otherContent = (line = 0): ImportProblem => ({
  line,
  path: "/key",
  message: "The dataset has a case with this key and another content",
});

/** @throws {ApiError} `validation_failed` if there are errors. */
export function refuseImport(errors: readonly ImportProblem[]): void {
  const [first] = errors;
  if (first === undefined) return;
  const { line, path, message } = first;
  throw apiError("validation_failed", {
    message: `Nothing was imported. Line ${line}${path && `, ${path}`}: ${message}.`,
    details: errors.map((error) => ({
      path: `/lines/${error.line}${error.path}`,
      code: "custom",
      message: error.message,
    })),
  });
}
