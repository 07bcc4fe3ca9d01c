import {
  type CreateRun,
  limits,
  maxOutputBytes,
  type Result,
  type ResultInput,
  type Run,
  type RunSummary,
  type UpdateRun,
} from "@promptreg/core";
import { apiError, invalid } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import type { Handler, HandlerWith } from "../../kernel/handler.ts";
import { goesOn } from "../../kernel/fitting.sql.ts";
import { completedOf, failedOf } from "./run-event.ts";
import { selectResults, type StoredResult, upsertResults } from "./results.sql.ts";
import {
  type Ending,
  endRun,
  insertRun,
  lockKnownRun,
  markRunDeleted,
  type NamedDataset,
  pinRun,
  runState,
  selectNamedDataset,
  selectReported,
  selectRun,
  selectRuns,
} from "./runs.sql.ts";
import { selectSummary } from "./summary.sql.ts";
import type { RunRow } from "./target.ts";

export const create: HandlerWith<"evals.runs.create", {}> = {
  async handle({ body, caller, target: prompt, sql, server: { publicUrl } }) {
    if (prompt.status === "draft") throw apiError("prompt_not_published");
    const { versionNumber, label, externalId } = body;
    const n = await selectReported(sql, { promptId: prompt.id, versionNumber, label });
    if (n === null) {
      const wanted = label === undefined ? `version ${versionNumber}` : `label ${label}`;
      throw apiError("not_found", { message: `${body.prompt} has no ${wanted}.` });
    }
    const dataset = await datasetOf(sql, prompt.id, body);
    const known = externalId ? await lockKnownRun(sql, { promptId: prompt.id, externalId }) : null;
    const id =
      known ?? (await insertRun(sql, { promptId: prompt.id, n, run: body, dataset, userId: caller.id }));
    return {
      status: known === null ? 201 : 200,
      json: await selectRun(sql, { id, publicUrl, isOwner: true }),
      location: `${publicUrl}/api/v1/evals/runs/${id}`,
      subject: { id },
    };
  },

  again: ({ sql, server: { publicUrl }, subject }) =>
    selectRun(sql, { id: subject.id, publicUrl, isOwner: true }),
};

/**
 * The dataset of a new run, at the revision whose cases were run.
 * @throws {ApiError} `not_found`, or `validation_failed` for a revision that it has not reached.
 */
async function datasetOf(
  sql: Sql,
  promptId: string,
  { prompt, dataset: name, datasetRevision }: CreateRun,
): Promise<NamedDataset | null> {
  if (name === undefined) return null;
  const dataset = await selectNamedDataset(sql, { promptId, dataset: name });
  if (dataset === null) throw apiError("not_found", { message: `${prompt} has no dataset "${name}".` });
  const { revision } = dataset;
  if (datasetRevision === undefined || datasetRevision <= revision)
    return { ...dataset, revision: datasetRevision ?? revision };
  const message = `The dataset is at revision ${revision}`;
  throw apiError("validation_failed", {
    message: `${message}, and not yet at ${datasetRevision}.`,
    details: [{ path: "/datasetRevision", code: "custom", message }],
  });
}

export const list: Handler<"evals.runs.list"> = async ({
  query,
  caller,
  target: prompt,
  page,
  sql,
  server,
}) => {
  const rows = await selectRuns(sql, {
    promptId: prompt.id,
    wanted: query,
    page,
    publicUrl: server.publicUrl,
    isOwner: caller?.id === prompt.ownerId,
  });
  return page.reply<Run>(rows, { goesOn: goesOn(rows, page) });
};

export const get: HandlerWith<"evals.runs.get", {}> = {
  state: runState,
  handle: async ({ caller, target: run, sql, server: { publicUrl } }) => ({
    status: 200,
    json: await selectRun(sql, { id: run.id, publicUrl, isOwner: caller?.id === run.prompt.ownerId }),
  }),
};

/** Pass if enough passed and nothing errored. Without results that count there is no verdict. */
const verdictOf = ({ passRate, errored }: RunSummary, threshold: number): "pass" | "fail" | null =>
  passRate === null ? null : passRate >= threshold && errored === 0 ? "pass" : "fail";

export const update: Handler<"evals.runs.update"> = async ({ body, target: run, ...context }) => {
  const { sql, emit, server } = context;
  const { publicUrl } = server;
  refuseOtherEnding(run, body);
  const ending = run.status === "running" && body.status ? await endingOf(sql, run, body) : null;
  if (ending) await endRun(sql, ending);
  if (body.pinned !== undefined) {
    if (body.pinned && (ending ?? run).verdict === null) {
      throw invalid("/pinned", "This run has no verdict to pin.");
    }
    await pinRun(sql, { id: run.id, pinned: body.pinned });
  }
  const json = await selectRun(sql, { id: run.id, publicUrl, isOwner: true });
  if (ending?.status === "completed") await emit("eval.run.completed", run, completedOf(json, publicUrl));
  if (ending?.status === "failed") await emit("eval.run.failed", run, failedOf(json, publicUrl));
  return { status: 200, json };
};

/**
 * Refuses a second, different ending. The same ending passes: a client retries if the response was lost.
 * @throws {ApiError} `run_finished`, or `validation_failed` for an ending without a status.
 */
function refuseOtherEnding(run: RunRow, { status, verdict, error }: UpdateRun): void {
  const isOther = (verdict ?? run.verdict) !== run.verdict || (error !== undefined && error !== run.error);
  if (run.status !== "running" && (isOther || (status ?? run.status) !== run.status))
    throw apiError("run_finished");
  if (status === undefined && isOther) {
    throw invalid("/status", "A verdict or an error needs a status that ends the run.");
  }
}

/** How a run ends, with the reported verdict, or else the one computed from its results. */
async function endingOf(
  sql: Sql,
  run: RunRow,
  { status = "completed", ...reported }: UpdateRun,
): Promise<Ending> {
  const summary = await selectSummary(sql, run.id);
  const computed = status === "completed" ? verdictOf(summary, run.threshold) : null;
  const verdict = reported.verdict ?? computed;
  const verdictSource = verdict === null ? null : reported.verdict ? "reported" : "computed";
  return { id: run.id, status, verdict, verdictSource, summary, error: reported.error ?? null };
}

const remove: Handler<"evals.runs.delete"> = async ({ target: { id, prompt }, sql, audit }) => {
  await markRunDeleted(sql, id);
  await audit("run.delete", id, { promptId: prompt.id });
  return { status: 204 };
};
export { remove as delete };

export const results: Handler<"evals.runs.results"> = async ({ query, target: run, page, sql }) => {
  const rows = await selectResults(sql, { run, status: query.status, page });
  return page.reply<Result>(rows, { goesOn: goesOn(rows, page) });
};

export const appendResults: HandlerWith<"evals.runs.appendResults", {}> = {
  // So that reports on one prompt wait neither for each other nor for its changes.
  lock: "own",

  async handle({ body, target: run, sql }) {
    if (run.status !== "running") throw apiError("run_finished");
    const results = body.results.map(cutOutput);
    const attempts = new Set(results.map(({ caseKey, attempt = 1 }) => `${attempt} ${caseKey}`));
    if (attempts.size < results.length) {
      throw invalid("/results", "A batch cannot have the same case and attempt twice.");
    }
    const json = await upsertResults(sql, { run, results });
    if (json.total > limits.resultsPerRun) {
      throw apiError("quota_exceeded", {
        message: `A run can have ${limits.resultsPerRun} results. With these it would have ${json.total}.`,
      });
    }
    return { status: 200, json };
  },
};

/** Cuts an output to the stored length, between characters. */
function cutOutput(result: ResultInput): StoredResult {
  const { output } = result;
  if (!output || Buffer.byteLength(output) <= maxOutputBytes) return { ...result, outputTruncated: false };
  const cut = Buffer.from(output).subarray(0, maxOutputBytes);
  return {
    ...result,
    output: new TextDecoder("utf-8", { ignoreBOM: true }).decode(cut, { stream: true }),
    outputTruncated: true,
  };
}
