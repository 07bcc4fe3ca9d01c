import * as z from "zod";
import { id, jsonObject, labelName, plainText, ref, versionNumber, versionNumberText } from "../../fields.ts";
import { type Page, type PageQuery, pageOf, pageQuery } from "../../list.ts";
import { json, largeBody, op } from "../../operation.ts";
import type { Schema } from "../../schema.ts";
import { AppendedResults, AppendResults, ListResults, Result } from "./results.ts";
import { Run, RunSource } from "./schemas.ts";

/** A run to be reported: of a version, or of the one a label points to now. */
export interface CreateRun {
  /** `owner/slug`. */
  prompt: string;
  versionNumber?: number;
  label?: string;
  /** Free text, so that an unknown model never breaks a report. */
  model: string;
  params?: Record<string, unknown>;
  /** 0 to 1; 1 when absent. */
  threshold?: number;
  source?: RunSource | null;
  /** The reporter's own id: a second creation with it answers the run that exists. */
  externalId?: string | null;
}
export const CreateRun: Schema<CreateRun> = z
  .strictObject({
    prompt: ref,
    versionNumber: versionNumber.optional(),
    label: labelName.optional(),
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
  .meta({ id: "CreateRun" });

/** How a run ends; or, later, whether its verdict is pinned. */
export interface UpdateRun {
  status?: "completed" | "failed";
  /** The tool's own verdict; worked out from the results when absent. */
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

/** Which runs of a prompt are wanted. */
export interface ListRuns extends PageQuery {
  /** `owner/slug`. */
  prompt: string;
  /** Only those of this version. */
  version?: number;
  /** Only those that asked this model. */
  model?: string;
  /** Only those that stand so. */
  status?: Run["status"];
  /** Only those that ended so. */
  verdict?: "pass" | "fail";
}
export const ListRuns: Schema<ListRuns> = z.strictObject({
  ...pageQuery(),
  prompt: ref,
  version: versionNumberText.optional(),
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
   * Lists the runs of a prompt, newest first. Its newest 5,000 runs are kept, and of older ones those that are pinned or
   * still running. A page ends early when its runs come to about 8 MiB.
   */
  list: op({
    route: "GET /evals/runs",
    access: { auth: "optional", scope: "read", on: "prompt", from: "query" },
    query: ListRuns,
    results: { 200: json<Page<Run>>(pageOf(Run)) },
    errors: ["invalid_cursor"],
  }),
  /** Creates a run for a version of a prompt. The same `externalId` answers the run that exists already. */
  create: op({
    route: "POST /evals/runs",
    access: { auth: "required", scope: "evals:write", on: "prompt", from: "body", allow: ["owner"] },
    body: json(CreateRun),
    results: { 200: json(Run), 201: json(Run) },
    errors: ["prompt_not_published"],
  }),
  /** Gets a run. Its tag serves as `If-Match` of an update: every batch of results changes it. */
  get: op({
    route: "GET /evals/runs/{id}",
    access: { auth: "optional", scope: "read", on: "run" },
    params: RunPath,
    results: { 200: json(Run) },
  }),
  /** Finishes a run, or pins or unpins its verdict. */
  update: op({
    route: "PATCH /evals/runs/{id}",
    access: { auth: "required", scope: "evals:write", on: "run", allow: ["owner"] },
    params: RunPath,
    body: json(UpdateRun),
    results: { 200: json(Run) },
    errors: ["run_finished"],
    emits: ["eval.run.completed", "eval.run.failed"],
  }),
  /**
   * Lists the results of a run in report order: by `index`, and where it is the same, as they first came. A result that
   * replaced another has its id, and its place too unless its `index` is a different one. A page ends early when its
   * results come to about 8 MiB.
   */
  results: op({
    route: "GET /evals/runs/{id}/results",
    access: { auth: "optional", scope: "read", on: "run", allow: ["owner"] },
    params: RunPath,
    query: ListResults,
    results: { 200: json<Page<Result>>(pageOf(Result)) },
    errors: ["invalid_cursor"],
  }),
  /** Appends up to 1000 results. A result with the same `caseKey` and `attempt` replaces the earlier one. */
  appendResults: op({
    route: "POST /evals/runs/{id}/results",
    access: { auth: "required", scope: "evals:write", on: "run", allow: ["owner"] },
    params: RunPath,
    body: json(AppendResults, largeBody),
    results: { 200: json(AppendedResults) },
    errors: ["run_finished"],
  }),
};
