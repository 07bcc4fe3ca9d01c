import * as z from "zod";
import { event } from "../../language/event.ts";
import { timestamp, versionNumber } from "../../language/fields.ts";
import { type Run, RunSource, runDataset, runSummary } from "./schemas.ts";

/** A run as events carry it. */
export interface EventRun
  extends Pick<
    Run,
    "id" | "versionNumber" | "model" | "dataset" | "status" | "verdict" | "threshold" | "summary" | "source"
  > {
  url: string;
  finishedAt: string;
}
/** The data of `eval.run.completed`. */
export interface RunCompleted {
  run: EventRun;
}
/** The data of `eval.run.failed`. */
export interface RunFailed {
  run: EventRun & { error: { message: string } };
}

const run = {
  id: z.string(),
  versionNumber,
  model: z.string(),
  dataset: runDataset,
  status: z.enum(["running", "completed", "failed"]),
  verdict: z.enum(["pass", "fail"]).nullable(),
  threshold: z.number(),
  summary: runSummary,
  source: z.nullable(RunSource),
  url: z.string(),
  finishedAt: timestamp,
};
const example: EventRun = {
  id: "run_01jd0000000000000000000000",
  versionNumber: 12,
  model: "gpt-5-mini",
  dataset: null,
  status: "completed",
  verdict: "pass",
  threshold: 0.9,
  summary: {
    total: 20,
    passed: 19,
    failed: 1,
    errored: 0,
    skipped: 0,
    cases: 20,
    passRate: 0.95,
    score: 0.93,
    latencyMsP50: 840,
    latencyMsP95: 2100,
    inputTokens: 8200,
    outputTokens: 3100,
    costUsd: 0.02,
  },
  source: null,
  url: "https://prompts.example/api/v1/evals/runs/run_01jd0000000000000000000000",
  finishedAt: "2026-11-20T09:30:00.000Z",
};

export const evalEvents = {
  "eval.run.completed": event<RunCompleted>({
    description: "An eval run finished, passed or not.",
    watchLevels: [],
    data: z.strictObject({ run: z.strictObject(run) }),
    example: { run: example },
  }),
  "eval.run.failed": event<RunFailed>({
    description: "An eval run errored before producing a result.",
    watchLevels: [],
    data: z.strictObject({
      run: z.strictObject({ ...run, error: z.strictObject({ message: z.string() }) }),
    }),
    example: {
      run: { ...example, status: "failed", verdict: null, error: { message: "The provider answered 401." } },
    },
  }),
};
