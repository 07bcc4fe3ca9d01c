import { type Dataset, limits } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { nameTaken } from "@promptreg/core/evals";
import type { Handler, HandlerWith } from "../../kernel/handler.ts";
import {
  countDatasets,
  datasetState,
  deleteDataset,
  insertDataset,
  isNameTaken,
  selectDataset,
  selectDatasets,
  updateDataset,
} from "./datasets.sql.ts";
import { seesPrivate } from "../../kernel/accounts/ownership.ts";

export * as cases from "./datasets/cases.ts";
export { importCases as import } from "./datasets/import.ts";

export const list: Handler<"evals.datasets.list"> = async ({ caller, target: prompt, page, sql }) =>
  page.reply<Dataset>(
    await selectDatasets(sql, { promptId: prompt.id, isOwner: seesPrivate(caller, prompt), page }),
  );

export const create: Handler<"evals.datasets.create"> = async ({
  body: { prompt: _, ...dataset },
  target: prompt,
  sql,
  server,
}) => {
  if ((await countDatasets(sql, prompt.id)) >= limits.datasetsPerPrompt) {
    throw apiError("quota_exceeded", {
      message: `A prompt can have ${limits.datasetsPerPrompt} datasets. Delete one first.`,
    });
  }
  const id = await insertDataset(sql, prompt.id, dataset);
  if (id === null) throw nameTaken(dataset.name);
  const location = `${server.publicUrl}/api/v1/evals/datasets/${id}`;
  return { status: 201, json: await selectDataset(sql, id), location };
};

export const get: HandlerWith<"evals.datasets.get", {}> = {
  state: datasetState,
  handle: async ({ target: { id }, sql }) => ({ status: 200, json: await selectDataset(sql, id) }),
};

export const update: Handler<"evals.datasets.update"> = async ({
  body: change,
  target: { id, prompt, visibility: from },
  sql,
  audit,
}) => {
  const { name, visibility: to = from } = change;
  if (name !== undefined && (await isNameTaken(sql, { promptId: prompt.id, id, name })))
    throw nameTaken(name);
  await updateDataset(sql, { id, change });
  if (to !== from)
    await audit("dataset.visibility", id, { from: { visibility: from }, to: { visibility: to } });
  return { status: 200, json: await selectDataset(sql, id) };
};

const remove: Handler<"evals.datasets.delete"> = async ({ target: { id, prompt }, sql, audit }) => {
  await deleteDataset(sql, id);
  await audit("dataset.delete", id, { promptId: prompt.id });
  return { status: 204 };
};
export { remove as delete };
