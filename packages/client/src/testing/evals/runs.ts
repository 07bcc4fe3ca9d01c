import { apiError, limits, type ListRuns } from "@promptreg/core";
import {
  batchOf,
  completedOf,
  type Ending,
  endingOf,
  failedOf,
  refuseOtherEnding,
  requireVerdict,
  revisionOf,
} from "@promptreg/core/evals";
import { modelIdOf } from "@promptreg/core/models";
import { etagOf } from "../etag.ts";
import type { Handler } from "../handler.ts";
import { pageOf } from "../page.ts";
import { resolve } from "../prompts.ts";
import { refOf, userRef } from "../show.ts";
import { type Caller, publicUrl, type StoredPrompt, type World } from "../world.ts";
import { asStored, isSame, sizeOf } from "./jsonb.ts";
import {
  casesByKey,
  datasetOf,
  isOpen,
  isOwnerOf,
  liveDatasetOf,
  promptOf,
  showResult,
  showRun,
} from "./show.ts";
import type { StoredResult, StoredRun } from "./stored.ts";
import { decimalOf, numberOf } from "./numeric.ts";
import { summaryOf } from "./summary.ts";

/** The runs of a prompt, the newest first. */
export const runsOf = (world: World, { id }: StoredPrompt): StoredRun[] =>
  [...world.runs.values()]
    .filter(({ promptId, isDeleted }) => promptId === id && !isDeleted)
    .sort((a, b) => (a.id < b.id ? 1 : -1));

export const create: Handler<"evals.runs.create"> = ({ body, caller, target: prompt, world, save }) => {
  const { versionNumber, label, externalId = null, model, threshold = 1, params = {}, source } = body;
  const version = resolve(prompt, { version: versionNumber, label });
  if (version === undefined) {
    const wanted = label === undefined ? `version ${versionNumber}` : `label ${label}`;
    throw apiError("not_found", { message: `${body.prompt} has no ${wanted}.` });
  }
  const dataset = reportedDataset(world, prompt, body);
  const known =
    externalId === null ? undefined : runsOf(world, prompt).find((run) => run.externalId === externalId);
  const run: StoredRun = known ?? {
    id: world.newId("run"),
    promptId: prompt.id,
    versionNumber: version.version.n,
    dataset,
    model,
    modelId: modelIdOf(model),
    params: asStored(params),
    status: "running",
    verdict: null,
    verdictSource: null,
    pinned: false,
    threshold,
    error: null,
    source: asStored(source ?? null),
    externalId,
    createdBy: userRef(caller),
    createdAt: world.now(),
    finishedAt: null,
    summary: null,
    isDeleted: false,
    revision: 1,
    heardAt: world.clock.nowMs(),
    results: new Map(),
  };
  save(run);
  return {
    status: known ? 200 : 201,
    json: showRun(world, run, { isOwner: true }),
    location: `${publicUrl}/api/v1/evals/runs/${run.id}`,
    again() {
      const now = world.runs.get(run.id);
      if (now === undefined || now.isDeleted) throw apiError("not_found");
      return showRun(world, now, { isOwner: true });
    },
  };
};

/** @throws {ApiError} `not_found`, or `validation_failed` for a revision that the dataset has not reached. */
function reportedDataset(
  world: World,
  { id: promptId }: StoredPrompt,
  { prompt, dataset: name, datasetRevision }: { prompt: string; dataset?: string; datasetRevision?: number },
): StoredRun["dataset"] {
  if (name === undefined) return null;
  const all = [...world.datasets.values()].filter((one) => one.promptId === promptId && !one.isDeleted);
  const found = all.find(({ id }) => id === name) ?? all.find((one) => one.name === name);
  if (found === undefined) throw apiError("not_found", { message: `${prompt} has no dataset "${name}".` });
  const revision = revisionOf({ revision: found.caseRevision }, datasetRevision);
  return { id: found.id, name: found.name, revision };
}

/** A run, with an ETag that begins with the revision. */
function show(world: World, run: StoredRun, caller: Caller | null) {
  const prompt = promptOf(world, run);
  const state = [refOf(prompt), liveDatasetOf(world, run)?.visibility, run.id, caller?.id];
  return {
    status: 200 as const,
    json: showRun(world, run, { isOwner: isOwnerOf(prompt, caller) }),
    etag: etagOf(JSON.stringify(state)).then((digest) => `W/${run.revision}.${digest}`),
  };
}

export const get: Handler<"evals.runs.get"> = ({ caller, target: run, world }) => show(world, run, caller);

/** Nobody finds runs by a dataset that they cannot see. */
export function isOn(
  world: World,
  run: StoredRun,
  { dataset, isOwner }: { dataset: string; isOwner: boolean },
) {
  if (dataset === "none") return run.dataset === null;
  return run.dataset?.id === dataset && (isOwner || isOpen(world, run));
}

export const list: Handler<"evals.runs.list"> = ({ query, caller, target: prompt, world }) => {
  const isOwner = isOwnerOf(prompt, caller);
  const found = runsOf(world, prompt).filter((run) => isWanted(world, run, { wanted: query, isOwner }));
  return pageOf(found, {
    list: ["evals.runs.list"],
    query,
    keyOf: ({ id }) => id,
    isAfter: ({ id }, key) => id < key,
    bounds: [{ of: ({ params }) => sizeOf(params) }],
    show: (run) => showRun(world, run, { isOwner }),
  });
};

function isWanted(
  world: World,
  run: StoredRun,
  { wanted, isOwner }: { wanted: ListRuns; isOwner: boolean },
): boolean {
  const {
    version = run.versionNumber,
    model = run.model,
    status = run.status,
    verdict = run.verdict,
  } = wanted;
  return (
    (wanted.dataset === undefined || isOn(world, run, { dataset: wanted.dataset, isOwner })) &&
    run.versionNumber === version &&
    run.model === model &&
    run.status === status &&
    run.verdict === verdict
  );
}

/** The totals of a run that ends. */
export const wholeSummary = (world: World, run: StoredRun) => {
  const cases = casesByKey(datasetOf(world, run));
  return summaryOf(run.results.values(), { isKnown: (key) => cases.has(key) });
};

export const end = (world: World, run: StoredRun, ending: Ending): StoredRun =>
  Object.assign(run, ending, { finishedAt: world.now(), revision: run.revision + 1 });

export const update: Handler<"evals.runs.update"> = ({ body, caller, target: run, world, emit, save }) => {
  refuseOtherEnding(run, body);
  const isEnding = run.status === "running" && body.status !== undefined;
  if (isEnding) end(world, run, endingOf({ ...run, summary: wholeSummary(world, run) }, body));
  if (body.pinned !== undefined) {
    if (body.pinned) requireVerdict(run);
    for (const other of body.pinned ? pinnedLike(world, run) : [])
      if (other.id !== run.id) save({ ...other, pinned: false, revision: other.revision + 1 });
    if (run.pinned !== body.pinned) Object.assign(run, { pinned: body.pinned, revision: run.revision + 1 });
  }
  const reply = show(world, run, caller);
  if (isEnding) {
    const prompt = { ...promptOf(world, run) };
    save(prompt);
    if (run.status === "completed") emit("eval.run.completed", prompt, completedOf(reply.json, publicUrl));
    else emit("eval.run.failed", prompt, failedOf(reply.json, publicUrl));
  }
  return reply;
};

/** The pinned runs of the same version, model and dataset. */
export const pinnedLike = (world: World, run: StoredRun): StoredRun[] =>
  [...world.runs.values()].filter(
    (other) =>
      other.pinned &&
      other.promptId === run.promptId &&
      other.versionNumber === run.versionNumber &&
      other.model === run.model &&
      other.dataset?.id === run.dataset?.id,
  );

const remove: Handler<"evals.runs.delete"> = ({ target: run }) => {
  Object.assign(run, { isDeleted: true, externalId: null, pinned: false, revision: run.revision + 1 });
  return { status: 204 };
};
export { remove as delete };

export const results: Handler<"evals.runs.results"> = ({ params, query, target: run, world }) => {
  const { status } = query;
  const cases = casesByKey(liveDatasetOf(world, run));
  const found = [...run.results.values()]
    .filter((result) => status === undefined || result.status === status)
    .sort((a, b) => a.index - b.index || (a.id < b.id ? -1 : 1));
  return pageOf(found, {
    list: ["evals.runs.results", params],
    query,
    keyOf: ({ index, id }) => [index, id] as const,
    isAfter: (result, [index, id]) => result.index > index || (result.index === index && result.id > id),
    bounds: [{ of: sizeOfResult }],
    show: (result) => showResult(result, cases),
  });
};

export const sizeOfResult = ({ output, assertions, error }: StoredResult): number =>
  [output, error].reduce(
    (size, text) => size + new TextEncoder().encode(text ?? "").length,
    sizeOf(assertions),
  );

export const appendResults: Handler<"evals.runs.appendResults"> = ({ body, target: run, world }) => {
  if (run.status !== "running") throw apiError("run_finished");
  const cases = casesByKey(datasetOf(world, run));
  const all = new Map(run.results);
  let appended = 0;
  for (const { attempt = 1, ...result } of batchOf(body.results)) {
    const key = `${attempt} ${result.caseKey}`;
    const earlier = all.get(key);
    const weight = numberOf(decimalOf(cases.get(result.caseKey)?.weight ?? 1));
    const said = { ...nothing, ...asStored(result), attempt, weight };
    if (earlier && isSame({ ...earlier, id: "" }, { ...said, id: "" })) continue;
    all.set(key, { ...said, id: earlier?.id ?? world.newId("res") });
    appended += 1;
  }
  if (all.size > limits.resultsPerRun) {
    throw apiError("quota_exceeded", {
      message: `A run can have ${limits.resultsPerRun} results. With these it would have ${all.size}.`,
    });
  }
  const revision = run.revision + (appended > 0 ? 1 : 0);
  Object.assign(run, { results: all, heardAt: world.clock.nowMs(), revision });
  return { status: 200, json: { appended, total: all.size } };
};

const nothing = {
  score: null,
  output: null,
  assertions: [],
  latencyMs: null,
  inputTokens: null,
  outputTokens: null,
  costUsd: null,
  error: null,
};
