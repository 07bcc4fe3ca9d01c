import { type CreateRun, limits, type Result, type Run } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import {
  batchOf,
  completedOf,
  endingOf,
  failedOf,
  refuseOtherEnding,
  requireVerdict,
  revisionOf,
} from "@promptreg/core/evals";
import type { Sql } from "../../database/sql.ts";
import type { Handler, HandlerWith } from "../../kernel/handler.ts";
import { goesOn } from "../../kernel/lists/fitting.sql.ts";
import { selectResults, upsertResults } from "./results.sql.ts";
import {
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
import { seesPrivate } from "../../kernel/accounts/ownership.ts";

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

  replay: ({ sql, server: { publicUrl }, subject }) =>
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
  return { ...dataset, revision: revisionOf(dataset, datasetRevision) };
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
    isOwner: seesPrivate(caller, prompt),
  });
  return page.reply<Run>(rows, { goesOn: goesOn(rows, page) });
};

export const get: HandlerWith<"evals.runs.get", {}> = {
  state: runState,
  handle: async ({ caller, target: run, sql, server: { publicUrl } }) => ({
    status: 200,
    json: await selectRun(sql, { id: run.id, publicUrl, isOwner: seesPrivate(caller, run.prompt) }),
  }),
};

export const update: Handler<"evals.runs.update"> = async ({ body, target: run, ...context }) => {
  const { sql, emit, server } = context;
  const { publicUrl } = server;
  refuseOtherEnding(run, body);
  const ending =
    run.status === "running" && body.status
      ? endingOf({ ...run, summary: await selectSummary(sql, run.id) }, body)
      : null;
  if (ending) await endRun(sql, run.id, ending);
  if (body.pinned !== undefined) {
    if (body.pinned) requireVerdict(ending ?? run);
    await pinRun(sql, { id: run.id, pinned: body.pinned });
  }
  const json = await selectRun(sql, { id: run.id, publicUrl, isOwner: true });
  const ended = JSON.parse(json) as Run;
  if (ending?.status === "completed") await emit("eval.run.completed", run, completedOf(ended, publicUrl));
  if (ending?.status === "failed") await emit("eval.run.failed", run, failedOf(ended, publicUrl));
  return { status: 200, json };
};

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
    const json = await upsertResults(sql, { run, results: batchOf(body.results) });
    if (json.total > limits.resultsPerRun) {
      throw apiError("quota_exceeded", {
        message: `A run can have ${limits.resultsPerRun} results. With these it would have ${json.total}.`,
      });
    }
    return { status: 200, json };
  },
};
