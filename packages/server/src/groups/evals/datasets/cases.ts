import { one } from "../../../database/rows.ts";
import {
  type Case,
  type CaseInput,
  type CreatedCases,
  findUnknownAssertions,
  type JsonText,
  warnOfAssertions,
} from "@promptreg/core";
import { keyTaken, placeCases, refuseRepeated, refuseTaken, requireRoom } from "@promptreg/core/evals";
import type { Sql } from "../../../database/sql.ts";
import { goesOn } from "../../../kernel/lists/fitting.sql.ts";
import type { Handler, HandlerWith } from "../../../kernel/handler.ts";
import {
  appendCases,
  deleteCase,
  isKeyTaken,
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

/** Places cases after those that a dataset has. */
export const placeAfter = async (sql: Sql, { id, lastPosition }: DatasetRow, cases: readonly CaseInput[]) =>
  placeCases(cases, {
    lastPosition,
    taken: cases.some(({ key }) => key === undefined) ? await selectNumberedKeys(sql, id) : [],
  });

const printed = async (sql: Sql, ids: readonly string[], warnings: readonly string[] = []) =>
  `{"items":[${(await selectCasesById(sql, ids)).join(",")}],"warnings":${JSON.stringify(warnings)}}` as JsonText<CreatedCases>;

export const create: HandlerWith<"evals.datasets.cases.create", {}> = {
  async handle({ body: { cases }, target: dataset, sql }) {
    const { id, caseCount, lastPosition } = dataset;
    refuseRepeated(cases);
    requireRoom(caseCount + cases.length);
    const placed = await placeAfter(sql, dataset, cases);
    const { ids, known } = await appendCases(sql, { datasetId: id, cases: placed });
    refuseTaken(known.map(({ position }) => position - lastPosition - 1));
    const added = cases.length;
    await touchCases(sql, { id, caseCount: caseCount + added, lastPosition: lastPosition + added });
    const unknown = new Set<string>();
    for (const one of cases) findUnknownAssertions(one, unknown);
    return { status: 201, json: await printed(sql, ids, warnOfAssertions(unknown)), subject: { ids } };
  },
  replay: ({ sql, subject }) => printed(sql, subject.ids),
};

export const update: Handler<"evals.datasets.cases.update"> = async ({
  body: change,
  target: { id, dataset },
  sql,
}) => {
  const { key } = change;
  if (key !== undefined && (await isKeyTaken(sql, { datasetId: dataset.id, id, key }))) {
    throw keyTaken(key);
  }
  if (await updateCase(sql, { id, change })) await touchCases(sql, dataset);
  const json = await one(selectCasesById(sql, [id]));
  return { status: 200, json };
};

const remove: Handler<"evals.datasets.cases.delete"> = async ({ target: { id, dataset }, sql }) => {
  await deleteCase(sql, id);
  await touchCases(sql, { ...dataset, caseCount: dataset.caseCount - 1 });
  return { status: 204 };
};
export { remove as delete };
