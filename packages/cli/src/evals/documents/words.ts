import type { CaseComparison, Result } from "@promptreg/core";
import type { DocumentCase } from "./document.ts";

/** What became of a case, the worst first. */
export const changeWords: Record<CaseComparison["change"], string> = {
  broken: "Broken",
  errored: "Errored",
  onlyB: "Only now",
  sameFail: "Still failing",
  fixed: "Fixed",
  onlyA: "Only before",
  samePass: "Still passing",
};
/** How a case ended, the worst first. */
export const statusWords: Record<Result["status"], string> = {
  failed: "failed",
  errored: "errored",
  passed: "passed",
  skipped: "skipped",
};

/** The order of a document: the worst is the lowest. */
export const orderOf = ({ change, now }: DocumentCase): number =>
  change !== null
    ? Object.keys(changeWords).indexOf(change)
    : Object.keys(statusWords).indexOf(now?.result.status ?? "skipped");
