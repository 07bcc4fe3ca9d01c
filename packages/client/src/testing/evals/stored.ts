import type { Case, Dataset, Result, ResultInput, Run, RunSummary } from "@promptreg/core";

/** A result as a registry for tests stores it. */
export interface StoredResult extends Omit<Result, "caseId" | "assertions"> {
  assertions: NonNullable<ResultInput["assertions"]>;
}

/** A run as a registry for tests stores it. */
export interface StoredRun extends Omit<Run, "prompt" | "dataset" | "summary"> {
  promptId: string;
  /** Its dataset, as it was called when the run began. */
  dataset: { id: string; name: string; revision: number } | null;
  /** Set when the run ends. Until then it is summed up from the results. */
  summary: RunSummary | null;
  isDeleted: boolean;
  /** Raised by every batch with something new, ending and pin. */
  revision: number;
  /** When the last batch came, in milliseconds since 1970. */
  heardAt: number;
  /** By attempt and key of the case. */
  results: ReadonlyMap<string, StoredResult>;
}

/** A dataset as a registry for tests stores it. */
export interface StoredDataset extends Omit<Dataset, "prompt" | "revision" | "caseCount"> {
  promptId: string;
  isDeleted: boolean;
  /** Raised by every change. */
  revision: number;
  /** Raised by changes of cases: the one that is shown. */
  caseRevision: number;
  /** The highest one that there was. */
  lastPosition: number;
  /** By id. */
  cases: ReadonlyMap<string, Case>;
}

/** A case, as the target of an operation. */
export interface StoredCase {
  id: string;
  dataset: StoredDataset;
}
