import * as z from "zod";
import { readOfPrompt } from "./access.ts";
import { plainText, ref, timestamp, versionNumber, versionNumberText } from "../../language/fields.ts";
import { type Page, type PageQuery, pageOf, pageQuery } from "../../language/list.ts";
import { json, op } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";
import { datasetFilter } from "./runs.ts";
import { Run, runDataset } from "./schemas.ts";

/** How a version did: its latest completed run with a model on a dataset. */
export interface VersionScore {
  versionNumber: number;
  model: string;
  dataset: Run["dataset"];
  /** The latest completed run. */
  runId: string;
  verdict: Run["verdict"];
  /** How many cases the run has results of, without skipped ones: a pass rate of fewer cases than the dataset has says less. */
  cases: number;
  passRate: number | null;
  score: number | null;
  finishedAt: string;
  /** The run whose verdict the owner pinned. */
  pinnedRunId: string | null;
  /**
   * The pass rate less that of the preceding version that has one with the same model on the same revision of the dataset;
   * null if none has.
   */
  trend: number | null;
}
export const VersionScore: Schema<VersionScore> = z
  .strictObject({
    versionNumber,
    model: z.string(),
    dataset: runDataset,
    runId: z.string(),
    verdict: z.enum(["pass", "fail"]).nullable(),
    cases: z.int(),
    passRate: z.number().nullable(),
    score: z.number().nullable(),
    finishedAt: timestamp,
    pinnedRunId: z.string().nullable(),
    trend: z.number().nullable(),
  })
  .meta({ id: "VersionScore" });

/** Which scores to list. */
export interface ListScores extends PageQuery {
  /** `owner/slug`. */
  prompt: string;
  /** Only those of this version. */
  version?: number;
  /** Only those on this dataset, by its id. `none`: those without a dataset. */
  dataset?: string;
  /** Only those of this model. */
  model?: string;
}
export const ListScores: Schema<ListScores> = z.strictObject({
  ...pageQuery(),
  prompt: ref,
  version: versionNumberText.optional(),
  dataset: datasetFilter.optional(),
  model: plainText({ min: 1, max: 200 }).optional(),
});

export const scores = op({
  route: "GET /evals/scores",
  access: readOfPrompt,
  query: ListScores,
  results: { 200: json<Page<VersionScore>>(pageOf(VersionScore)) },
  errors: ["invalid_cursor"],
});
