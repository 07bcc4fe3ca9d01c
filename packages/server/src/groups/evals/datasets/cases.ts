import {
  type Case,
  type CaseInput,
  type CreatedCases,
  findUnknownAssertions,
  type JsonText,
  limits,
  warnOfAssertions,
} from "@promptreg/core";
import { apiError, type ErrorDetail } from "@promptreg/core/errors";
import type { Sql } from "../../../database/sql.ts";
import { goesOn } from "../../../kernel/fitting.sql.ts";
import type { Handler, HandlerWith } from "../../../kernel/handler.ts";
import {
  appendCases,
  deleteCase,
  isKeyTaken,
  type PlacedCase,
  selectCases,
  selectCasesById,
  selectNumberedKeys,
  updateCase,
} from "./cases.sql.ts";
import type { DatasetRow } from "../dataset-target.ts";
import { touchCases } from "../datasets.sql.ts";

export const list: Handler<"evals.datasets.cases.list"> = async ({ query, target, page, sql }) => {
  const rows = await selectCases(sql, { datasetId: target.id, tag: query.tag, page });
  return page.reply<Case>(rows, { goesOn: goesOn(rows, page) });
};

/** The index of each case whose key an earlier one has. */
export function repeatedKeys(cases: readonly CaseInput[]): number[] {
  const first = new Map<string, number>();
  for (const [index, { key }] of cases.entries())
    if (key !== undefined && !first.has(key)) first.set(key, index);
  return [...cases.keys()].filter((index) => {
    const key = cases[index]?.key;
    return key !== undefined && first.get(key) !== index;
  });
}

/** Gives cases the positions after the last one, and a free key to those that have none. */
export function placeCases(
  cases: readonly CaseInput[],
  { lastPosition, taken }: { lastPosition: number; taken: readonly string[] },
): PlacedCase[] {
  const keys = new Set([...taken, ...cases.flatMap(({ key }) => key ?? [])]);
  let number = lastPosition;
  return cases.map((one, index) => {
    const position = lastPosition + index + 1;
    if (one.key !== undefined) return { ...one, key: one.key, position };
    number = Math.max(number + 1, position);
    while (keys.has(`case-${number}`)) number += 1;
    return { ...one, key: `case-${number}`, position };
  });
}

/** Places cases after those that a dataset has. */
export const placeAfter = async (sql: Sql, { id, lastPosition }: DatasetRow, cases: readonly CaseInput[]) =>
  placeCases(cases, {
    lastPosition,
    taken: cases.some(({ key }) => key === undefined) ? await selectNumberedKeys(sql, id) : [],
  });

/** @throws {ApiError} `quota_exceeded`. */
export function requireRoom(count: number): void {
  if (count <= limits.casesPerDataset) return;
  throw apiError("quota_exceeded", {
    message: `A dataset can have ${limits.casesPerDataset} cases. With these it would have ${count}.`,
  });
}

/** At most as many as the schema's own errors. */
const detailsOf = (indexes: readonly number[], message: string): ErrorDetail[] =>
  indexes.slice(0, 20).map((index) => ({ path: `/cases/${index}/key`, code: "custom", message }));

const printed = async (sql: Sql, ids: readonly string[], warnings: readonly string[] = []) =>
  `{"items":[${(await selectCasesById(sql, ids)).join(",")}],"warnings":${JSON.stringify(warnings)}}` as JsonText<CreatedCases>;

export const create: HandlerWith<"evals.datasets.cases.create", {}> = {
  async handle({ body: { cases }, target: dataset, sql }) {
    const { id, caseCount, lastPosition } = dataset;
    const repeated = repeatedKeys(cases);
    if (repeated.length > 0) {
      const message = "An earlier case of this request has the same key";
      throw apiError("validation_failed", { message: `${message}.`, details: detailsOf(repeated, message) });
    }
    requireRoom(caseCount + cases.length);
    const placed = await placeAfter(sql, dataset, cases);
    const { ids, known } = await appendCases(sql, { datasetId: id, cases: placed });
    if (known.length > 0) {
      const taken = known.map(({ position }) => position - lastPosition - 1);
      const message = "The dataset has a case with this key already";
      throw apiError("name_taken", { message: `${message}.`, details: detailsOf(taken, message) });
    }
    const added = cases.length;
    await touchCases(sql, { id, caseCount: caseCount + added, lastPosition: lastPosition + added });
    const unknown = new Set<string>();
    for (const one of cases) findUnknownAssertions(one, unknown);
    return { status: 201, json: await printed(sql, ids, warnOfAssertions(unknown)), subject: { ids } };
  },
  again: ({ sql, subject }) => printed(sql, subject.ids),
};

export const update: Handler<"evals.datasets.cases.update"> = async ({
  body: change,
  target: { id, dataset },
  sql,
}) => {
  const { key } = change;
  if (key !== undefined && (await isKeyTaken(sql, { datasetId: dataset.id, id, key }))) {
    throw apiError("name_taken", { message: `The dataset has a case with the key "${key}" already.` });
  }
  if (await updateCase(sql, { id, change })) await touchCases(sql, dataset);
  const [json] = await selectCasesById(sql, [id]);
  if (json === undefined) throw new Error(`the case of this request is gone: ${id}`);
  return { status: 200, json };
};

const remove: Handler<"evals.datasets.cases.delete"> = async ({ target: { id, dataset }, sql }) => {
  await deleteCase(sql, id);
  await touchCases(sql, { ...dataset, caseCount: dataset.caseCount - 1 });
  return { status: 204 };
};
export { remove as delete };
