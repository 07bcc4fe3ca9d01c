import * as z from "zod";
import { id, plainText, ref, timestamp, versionNumber } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";
import { UserRef } from "../users/schemas.ts";

/** The totals of a run. They count results; `passRate` and `score` count each by the weight of its case. */
export interface RunSummary {
  total: number;
  passed: number;
  failed: number;
  errored: number;
  skipped: number;
  /**
   * How many cases have a result that was not skipped, whatever their number of attempts; null until the run ends. If the key of any is that
   * of a case of the run's dataset, only such cases count.
   */
  cases: number | null;
  /** The share of the weight of all results, without skipped ones, that passed (0 to 1); null while nothing counts, or all weigh 0. */
  passRate: number | null;
  /** The weighted mean of the results that have one. */
  score: number | null;
  /** The median latency; null until the run ends. */
  latencyMsP50: number | null;
  /** The 95th percentile of latency; null until the run ends. */
  latencyMsP95: number | null;
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
}
export const runSummary: Schema<RunSummary> = z
  .strictObject({
    total: z.int(),
    passed: z.int(),
    failed: z.int(),
    errored: z.int(),
    skipped: z.int(),
    cases: z.int().nullable(),
    passRate: z.number().nullable(),
    score: z.number().nullable(),
    latencyMsP50: z.number().nullable(),
    latencyMsP95: z.number().nullable(),
    inputTokens: z.number(),
    outputTokens: z.number(),
    costUsd: z.number(),
  })
  .meta({ id: "RunSummary" });

/** Where a run was made. */
export interface RunSource {
  provider?: string | null;
  url?: string | null;
  commit?: string | null;
  branch?: string | null;
  tool?: string | null;
}
const link = z
  .string()
  .max(2048)
  .regex(/^https?:\/\/[^\s\\]+$/, { error: "must be an address that begins with http:// or https://" });
export const RunSource: Schema<RunSource> = z
  .strictObject({
    provider: plainText({ max: 200 }).nullish(),
    url: link.nullish(),
    commit: plainText({ max: 200 }).nullish(),
    branch: plainText({ max: 200 }).nullish(),
    tool: plainText({ max: 200 }).nullish(),
  })
  .meta({ id: "RunSource" });

/** One eval run of a version. */
export interface Run {
  id: string;
  prompt: { ref: string };
  versionNumber: number;
  dataset: { id: string | null; name: string; revision: number | null } | null;
  model: string;
  /** The id of the model in the catalogue, if it is there. */
  modelId: string | null;
  /** Everybody sees it who sees the run. */
  params: Record<string, unknown>;
  status: "running" | "completed" | "failed";
  verdict: "pass" | "fail" | null;
  /** `computed` by the registry from the results, or `reported` by the tool that ran the evals. */
  verdictSource: "computed" | "reported" | null;
  pinned: boolean;
  /** The least pass rate (0 to 1) with which a run passes. */
  threshold: number;
  /** The totals of the results. For a running run, of the results so far. */
  summary: RunSummary;
  /** Only the prompt's owner sees it; null for others. */
  error: string | null;
  /** Only the prompt's owner sees it, unless the dataset is public; null for others. */
  source: RunSource | null;
  /** Only the prompt's owner sees it; null for others. */
  externalId: string | null;
  createdBy: UserRef | null;
  createdAt: string;
  finishedAt: string | null;
}
export const runDataset: Schema<Run["dataset"]> = z
  .strictObject({ id: z.string().nullable(), name: z.string(), revision: z.int().nullable() })
  .nullable();
export const Run: Schema<Run> = z
  .strictObject({
    id: id("run"),
    prompt: z.strictObject({ ref }),
    versionNumber,
    dataset: runDataset,
    model: z.string(),
    modelId: z.string().nullable(),
    params: z.record(z.string(), z.unknown()),
    status: z.enum(["running", "completed", "failed"]),
    verdict: z.enum(["pass", "fail"]).nullable(),
    verdictSource: z.enum(["computed", "reported"]).nullable(),
    pinned: z.boolean(),
    threshold: z.number(),
    summary: runSummary,
    error: z.string().nullable(),
    source: z.nullable(RunSource),
    externalId: z.string().nullable(),
    createdBy: z.nullable(UserRef),
    createdAt: timestamp,
    finishedAt: z.nullable(timestamp),
  })
  .meta({ id: "Run" });
