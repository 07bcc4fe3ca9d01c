import { apiError, type Dataset, limits } from "@promptreg/core";
import { compareTexts, nameTaken } from "@promptreg/core/evals";
import { etagOf } from "../etag.ts";
import type { Handler } from "../handler.ts";
import { pageOf } from "../page.ts";
import { refOf } from "../show.ts";
import { type Caller, publicUrl, type StoredPrompt, type World } from "../world.ts";
import { isOwnerOf, promptOf } from "./show.ts";
import type { StoredDataset } from "./stored.ts";

/** The datasets of a prompt by name. */
const datasetsOf = (world: World, { id }: StoredPrompt): StoredDataset[] =>
  [...world.datasets.values()]
    .filter(({ promptId, isDeleted }) => promptId === id && !isDeleted)
    .sort((a, b) => compareTexts(a.name, b.name));

const showDataset = (world: World, dataset: StoredDataset): Dataset => ({
  id: dataset.id,
  prompt: { ref: refOf(promptOf(world, dataset)) },
  name: dataset.name,
  description: dataset.description,
  visibility: dataset.visibility,
  revision: dataset.caseRevision,
  caseCount: dataset.cases.size,
  createdAt: dataset.createdAt,
  updatedAt: dataset.updatedAt,
});

export const list: Handler<"evals.datasets.list"> = ({ query, caller, target: prompt, world }) => {
  const isOwner = isOwnerOf(prompt, caller);
  const shown = datasetsOf(world, prompt).filter(({ visibility }) => isOwner || visibility === "public");
  return pageOf(shown, {
    list: ["evals.datasets.list"],
    query,
    keyOf: ({ name }) => name,
    isAfter: ({ name }, key) => compareTexts(name, key) > 0,
    show: (dataset) => showDataset(world, dataset),
  });
};

export const create: Handler<"evals.datasets.create"> = ({ body, target: prompt, world, save }) => {
  const { name, description = null, visibility = "private" } = body;
  const others = datasetsOf(world, prompt);
  if (others.length >= limits.datasetsPerPrompt) {
    throw apiError("quota_exceeded", {
      message: `A prompt can have ${limits.datasetsPerPrompt} datasets. Delete one first.`,
    });
  }
  if (others.some((other) => other.name === name)) throw nameTaken(name);
  const at = world.now();
  const dataset: StoredDataset = {
    id: world.newId("eds"),
    promptId: prompt.id,
    name,
    description,
    visibility,
    isDeleted: false,
    revision: 1,
    caseRevision: 1,
    lastPosition: 0,
    cases: new Map(),
    createdAt: at,
    updatedAt: at,
  };
  save(dataset);
  const location = `${publicUrl}/api/v1/evals/datasets/${dataset.id}`;
  return { status: 201, json: showDataset(world, dataset), location };
};

/** A dataset, with an ETag that begins with the revision. */
function show(world: World, dataset: StoredDataset, caller: Caller | null) {
  const json = showDataset(world, dataset);
  const etag = etagOf(JSON.stringify([json.prompt.ref, json.id, caller?.id])).then(
    (digest) => `W/${dataset.revision}.${digest}`,
  );
  return { status: 200 as const, json, etag };
}

export const get: Handler<"evals.datasets.get"> = ({ caller, target: dataset, world }) =>
  show(world, dataset, caller);

export const update: Handler<"evals.datasets.update"> = ({ body, caller, target: dataset, world }) => {
  const { name = dataset.name, description = dataset.description, visibility = dataset.visibility } = body;
  const others = datasetsOf(world, promptOf(world, dataset)).filter(({ id }) => id !== dataset.id);
  if (others.some((other) => other.name === name)) throw nameTaken(name);
  const said = { name, description, visibility };
  if ((Object.keys(said) as (keyof typeof said)[]).some((field) => said[field] !== dataset[field]))
    Object.assign(dataset, said, { revision: dataset.revision + 1, updatedAt: world.now() });
  return show(world, dataset, caller);
};

const remove: Handler<"evals.datasets.delete"> = ({ target: dataset }) => {
  Object.assign(dataset, { isDeleted: true, revision: dataset.revision + 1 });
  return { status: 204 };
};
export { remove as delete };
