import { type Case, type CaseInput, findUnknownAssertions, warnOfAssertions } from "@promptreg/core";
import {
  keyTaken,
  type PlacedCase,
  placeCases,
  refuseRepeated,
  refuseTaken,
  requireRoom,
} from "@promptreg/core/evals";
import type { Handler } from "../handler.ts";
import { pageOf } from "../page.ts";
import type { World } from "../world.ts";
import { asStored, isSame, sizeOf } from "./jsonb.ts";
import { casesByKey } from "./show.ts";
import type { StoredDataset } from "./stored.ts";

export const list: Handler<"evals.datasets.cases.list"> = ({ params, query, target: dataset }) => {
  const { tag } = query;
  const cases = [...dataset.cases.values()]
    .filter(({ tags }) => tag === undefined || tags.includes(tag))
    .sort((a, b) => a.position - b.position);
  return pageOf(cases, {
    list: ["evals.datasets.cases.list", params],
    query,
    keyOf: ({ position }) => position,
    isAfter: ({ position }, key) => position > key,
    bounds: [{ of: (one) => sizeOf(one.variables, one.assertions, one.messages, one.expected) }],
  });
};

/** A case as it is stored. */
export const caseOf = (
  id: string,
  {
    key,
    position,
    variables = {},
    messages = null,
    expected = null,
    assertions = [],
    tags = [],
    weight = 1,
  }: PlacedCase,
): Case => asStored({ id, key, variables, messages, expected, assertions, tags, weight, position });

/** Places cases after those that a dataset has. */
export const placeAfter = (
  { cases, lastPosition }: StoredDataset,
  added: readonly CaseInput[],
): PlacedCase[] => placeCases(added, { lastPosition, taken: [...cases.values()].map(({ key }) => key) });

/** Changes the cases of the handler's copy of a dataset. */
export function changeCases(
  world: World,
  dataset: StoredDataset,
  changes: Pick<StoredDataset, "cases"> & Partial<Pick<StoredDataset, "lastPosition">>,
): void {
  const caseRevision = dataset.caseRevision + 1;
  Object.assign(dataset, changes, { caseRevision, revision: dataset.revision + 1, updatedAt: world.now() });
}

export const create: Handler<"evals.datasets.cases.create"> = ({ body, target: dataset, world }) => {
  refuseRepeated(body.cases);
  requireRoom(dataset.cases.size + body.cases.length);
  const placed = placeAfter(dataset, body.cases);
  const known = casesByKey(dataset);
  refuseTaken(placed.flatMap(({ key }, index) => (known.has(key) ? index : [])));
  const added = placed.map((one) => caseOf(world.newId("ecs"), one));
  const cases = new Map([...dataset.cases, ...added.map((one) => [one.id, one] as const)]);
  changeCases(world, dataset, { cases, lastPosition: dataset.lastPosition + added.length });
  const unknown = new Set<string>();
  for (const one of body.cases) findUnknownAssertions(one, unknown);
  const again = () => ({
    items: added.flatMap(({ id }) => world.datasets.get(dataset.id)?.cases.get(id) ?? []),
    warnings: [],
  });
  return { status: 201, json: { items: added, warnings: warnOfAssertions(unknown) }, again };
};

export const update: Handler<"evals.datasets.cases.update"> = ({ body, target: { id, dataset }, world }) => {
  const { key } = body;
  const other = key === undefined ? undefined : casesByKey(dataset).get(key);
  if (key !== undefined && other && other.id !== id) throw keyTaken(key);
  const before = dataset.cases.get(id) as Case;
  const after = asStored({ ...before, ...body });
  if (!isSame(before, after)) changeCases(world, dataset, { cases: new Map(dataset.cases).set(id, after) });
  return { status: 200, json: after };
};

const remove: Handler<"evals.datasets.cases.delete"> = ({ target: { id, dataset }, world }) => {
  const cases = new Map(dataset.cases);
  cases.delete(id);
  changeCases(world, dataset, { cases });
  return { status: 204 };
};
export { remove as delete };
