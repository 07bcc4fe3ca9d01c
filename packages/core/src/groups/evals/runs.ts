import * as z from "zod";
import { readOfPrompt } from "./access.ts";
import {
  id,
  jsonObject,
  labelName,
  plainText,
  ref,
  versionNumber,
  versionNumberText,
} from "../../language/fields.ts";
import { type Page, type PageQuery, pageOf, pageQuery } from "../../language/list.ts";
import { empty, json, largeBody, op } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";
import { AppendedResults, AppendResults, ListResults, Result } from "./results.ts";
import { Run, RunSource } from "./schemas.ts";

/** A new run, of a version or of the version that a label points to now. */
export interface CreateRun {
  /** `owner/slug`. */
  prompt: string;
  versionNumber?: number;
  label?: string;
  /** The dataset whose cases were run: its name or its id. */
  dataset?: string;
  /** The revision of the dataset whose cases were run. Default: its revision now. */
  datasetRevision?: number;
  /** Free text: any model name is accepted. */
  model: string;
  /** The settings of the model. Everybody sees them who sees the run. */
  params?: Record<string, unknown>;
  /** 0 to 1; 1 when absent. */
  threshold?: number;
  source?: RunSource | null;
  /** Your own id of the run. Creating a run with it again returns the existing run. */
  externalId?: string | null;
}
export const CreateRun: Schema<CreateRun> = z
  .strictObject({
    prompt: ref,
    versionNumber: versionNumber.optional(),
    label: labelName.optional(),
    dataset: plainText({ min: 1, max: 80 }).optional(),
    datasetRevision: z.int().min(1).max(2_147_483_647).optional(),
    model: plainText({ min: 1, max: 200 }),
    params: jsonObject.optional(),
    threshold: z.number().min(0).max(1).optional(),
    source: RunSource.nullish(),
    externalId: plainText({ min: 1, max: 200 }).nullish(),
  })
  .refine((run) => (run.versionNumber === undefined) !== (run.label === undefined), {
    error: "give either versionNumber or label",
    path: ["versionNumber"],
  })
  .refine((run) => run.datasetRevision === undefined || run.dataset !== undefined, {
    error: "needs a dataset",
    path: ["datasetRevision"],
  })
  .meta({ id: "CreateRun" });

/** The end of a run, or whether its verdict is pinned. */
export interface UpdateRun {
  status?: "completed" | "failed";
  /** The verdict of the tool. Default: computed from the results. */
  verdict?: "pass" | "fail" | null;
  error?: string | null;
  /** Needs the scope `write`. */
  pinned?: boolean;
}
export const UpdateRun: Schema<UpdateRun> = z
  .strictObject({
    status: z.enum(["completed", "failed"]).optional(),
    verdict: z.enum(["pass", "fail"]).nullish(),
    error: plainText({ max: 2000 }).nullish(),
    pinned: z.boolean().optional(),
  })
  .meta({ id: "UpdateRun" });

/** A dataset by its id, or `none`. */
export const datasetFilter: Schema<string> = z.union([id("eds"), z.literal("none")]);

/** Which runs of a prompt to list. */
export interface ListRuns extends PageQuery {
  /** `owner/slug`. */
  prompt: string;
  /** Only those of this version. */
  version?: number;
  /** Only those on this dataset, by its id. `none`: those without a dataset. */
  dataset?: string;
  /** Only those of this model. */
  model?: string;
  /** Only those with this status. */
  status?: Run["status"];
  /** Only those with this verdict. */
  verdict?: "pass" | "fail";
}
export const ListRuns: Schema<ListRuns> = z.strictObject({
  ...pageQuery(),
  prompt: ref,
  version: versionNumberText.optional(),
  dataset: datasetFilter.optional(),
  model: plainText({ min: 1, max: 200 }).optional(),
  status: z.enum(["running", "completed", "failed"]).optional(),
  verdict: z.enum(["pass", "fail"]).optional(),
});

export interface RunPath {
  id: string;
}
export const RunPath: Schema<RunPath> = z.strictObject({ id: id("run") });

export const runs = {
  /**
   * Lists the runs of a prompt, newest first. The newest 5,000 runs are kept. Older runs are kept while they are pinned
   * or still running. A page ends early at about 8 MiB.
   */
  list: op({
    route: "GET /evals/runs",
    access: readOfPrompt,
    query: ListRuns,
    results: { 200: json<Page<Run>>(pageOf(Run)) },
    errors: ["invalid_cursor"],
  }),
  /**
   * Creates a run for a version of a prompt. If a run with this `externalId` exists, it returns that run, which may be of another
   * version, model or dataset than the request: compare them before you append results.
   */
  create: op({
    route: "POST /evals/runs",
    access: {
      auth: "required",
      scope: "evals:write",
      on: { prompt: ["owner"] },
      from: "body.prompt",
      restricted: {},
    },
    body: json(CreateRun),
    results: { 200: json(Run), 201: json(Run) },
    errors: ["prompt_not_published"],
  }),
  /** Gets a run. Send its ETag as `If-Match` of an update. Every batch of results changes the ETag. */
  get: op({
    route: "GET /evals/runs/{id}",
    access: { auth: "optional", scope: "read", on: { run: "viewers" }, restricted: {} },
    params: RunPath,
    results: { 200: json(Run) },
  }),
  /** Finishes a run, or pins or unpins its verdict. */
  update: op({
    route: "PATCH /evals/runs/{id}",
    access: { auth: "required", scope: "evals:write", on: { run: ["owner"] }, restricted: {} },
    params: RunPath,
    body: json(UpdateRun),
    results: { 200: json(Run) },
    fields: { pinned: { scope: "write" } },
    errors: ["run_finished"],
    emits: ["eval.run.completed", "eval.run.failed"],
  }),
  /** Deletes a run with its results. */
  delete: op({
    route: "DELETE /evals/runs/{id}",
    access: { auth: "required", scope: "write", on: { run: ["owner", "admin"] } },
    params: RunPath,
    results: { 204: empty() },
  }),
  /**
   * Lists the results of a run by `index`. Results with the same `index` are in the order in which they first arrived.
   * A result that replaced another keeps its id, and its position too if the `index` is the same. A page ends early at
   * about 8 MiB.
   */
  results: op({
    route: "GET /evals/runs/{id}/results",
    access: { auth: "optional", scope: "read", on: { run: ["reader"] }, restricted: {} },
    params: RunPath,
    query: ListResults,
    results: { 200: json<Page<Result>>(pageOf(Result)) },
    errors: ["invalid_cursor"],
  }),
  /**
   * Appends up to 1000 results. A result with the same `caseKey` and `attempt` replaces the earlier one. A run can have
   * 250,000.
   */
  appendResults: op({
    route: "POST /evals/runs/{id}/results",
    access: { auth: "required", scope: "evals:write", on: { run: ["owner"] }, restricted: {} },
    params: RunPath,
    body: json(AppendResults, largeBody),
    results: { 200: json(AppendedResults) },
    errors: ["run_finished", "quota_exceeded"],
  }),
};
