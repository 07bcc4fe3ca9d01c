import * as z from "zod";
import { id, plainText } from "../../language/fields.ts";
import { type PageQuery, pageQuery } from "../../language/list.ts";
import type { Schema } from "../../language/schema.ts";

/** The result of one assertion of a case. */
export interface AssertionResult {
  type: string;
  passed: boolean;
  score?: number | null;
  reason?: string | null;
}

/** The result of one case. */
export interface ResultInput {
  /** The index in the report, from 0. */
  index: number;
  /** The name of the case, by which runs are compared. */
  caseKey: string;
  /** Default: 1. */
  attempt?: number;
  status: "passed" | "failed" | "errored" | "skipped";
  /** 0 to 1. */
  score?: number | null;
  /** The output of the model. Everything after 64 KiB is cut. */
  output?: string | null;
  assertions?: AssertionResult[];
  latencyMs?: number | null;
  inputTokens?: number | null;
  outputTokens?: number | null;
  costUsd?: number | null;
  error?: string | null;
}
const status = z.enum(["passed", "failed", "errored", "skipped"]);
const count = z.int().min(0).max(2_147_483_647);
export const ResultInput: Schema<ResultInput> = z
  .strictObject({
    index: count,
    caseKey: plainText({ min: 1, max: 200 }),
    attempt: z.int().min(1).max(1000).optional(),
    status,
    score: z.number().min(0).max(1).nullish(),
    output: plainText({ max: 4 * 1024 * 1024 }).nullish(),
    assertions: z
      .array(
        z.strictObject({
          type: plainText({ min: 1, max: 100 }),
          passed: z.boolean(),
          score: z.number().nullish(),
          reason: plainText({ max: 2000 }).nullish(),
        }),
      )
      .max(100)
      .optional(),
    latencyMs: count.nullish(),
    inputTokens: count.nullish(),
    outputTokens: count.nullish(),
    costUsd: z.number().min(0).max(1_000_000).nullish(),
    error: plainText({ max: 2000 }).nullish(),
  })
  .meta({ id: "ResultInput" });

/** The stored result of one case. */
export interface Result {
  id: string;
  /** The index in the report, from 0. */
  index: number;
  /** The case in the dataset, if the run has one. */
  caseId: string | null;
  caseKey: string;
  attempt: number;
  status: "passed" | "failed" | "errored" | "skipped";
  score: number | null;
  output: string | null;
  /** Whether the output was longer than 64 KiB and was cut. */
  outputTruncated: boolean;
  assertions: { type: string; passed: boolean; score: number | null; reason: string | null }[];
  latencyMs: number | null;
  inputTokens: number | null;
  outputTokens: number | null;
  costUsd: number | null;
  error: string | null;
  /** The weight that its case had in the dataset when the result came; 1 without a case. */
  weight: number;
}
export const Result: Schema<Result> = z
  .strictObject({
    id: id("res"),
    index: z.int(),
    caseId: z.string().nullable(),
    caseKey: z.string(),
    attempt: z.int(),
    status,
    score: z.number().nullable(),
    output: z.string().nullable(),
    outputTruncated: z.boolean(),
    assertions: z.array(
      z.strictObject({
        type: z.string(),
        passed: z.boolean(),
        score: z.number().nullable(),
        reason: z.string().nullable(),
      }),
    ),
    latencyMs: z.int().nullable(),
    inputTokens: z.int().nullable(),
    outputTokens: z.int().nullable(),
    costUsd: z.number().nullable(),
    error: z.string().nullable(),
    weight: z.number(),
  })
  .meta({ id: "Result" });

/** Which results of a run to list. */
export interface ListResults extends PageQuery {
  /** Only those with this status. */
  status?: Result["status"];
}
export const ListResults: Schema<ListResults> = z.strictObject({
  ...pageQuery({ max: 500 }),
  status: status.optional(),
});

/** A batch of results, up to 1,000. */
export interface AppendResults {
  results: ResultInput[];
}
export const AppendResults: Schema<AppendResults> = z
  .strictObject({ results: z.array(ResultInput).min(1).max(1000) })
  .meta({ id: "AppendResults" });

/** The counts after a batch of results. */
export interface AppendedResults {
  /** How many results of this batch were new or other than before. A batch that is sent again appends none. */
  appended: number;
  /** How many results the run has now. */
  total: number;
}
export const AppendedResults: Schema<AppendedResults> = z
  .strictObject({ appended: z.int(), total: z.int() })
  .meta({ id: "AppendedResults" });

/** The maximum length of a stored output, in bytes of UTF-8. */
export const maxOutputBytes = 64 * 1024;
