import { one } from "../../../database/rows.ts";
import type { Case, JsonText, UpdateCase } from "@promptreg/core";
import type { PlacedCase } from "@promptreg/core/evals";
import { columns } from "../../../database/columns.ts";
import type { Fragment, Sql } from "../../../database/sql.ts";
import { type Fitting, fitting } from "../../../kernel/lists/fitting.sql.ts";
import type { Page } from "../../../kernel/lists/page.ts";
import { caseOf } from "./case.sql.ts";

/** A case, from `eval_cases c`. */
const caseColumns = columns<Case>({
  id: "c.id",
  key: "c.key",
  variables: "c.variables",
  messages: "c.messages",
  expected: "c.expected",
  assertions: "c.assertions",
  tags: "c.tags",
  weight: "c.weight",
  position: "c.position",
});

/** A page of a dataset's cases, by position. */
export function selectCases(
  sql: Sql,
  {
    datasetId,
    tag,
    page: { after, take },
  }: { datasetId: string; tag: string | undefined; page: Pick<Page, "after" | "take"> },
): Promise<Fitting[]> {
  const rows = sql`
    select * from eval_cases
    where dataset_id = ${datasetId} ${tag === undefined ? sql`` : sql`and ${tag} = any (tags)`}
      ${after === null ? sql`` : sql`and position > ${after[0] as number}`}
    order by position limit ${take}`;
  return sql<Fitting[]>`
    select row_to_json(shown)::text as item, json_build_array(c.position) as key, c.found
    from ${fitting(sql, { rows, order: sql`position` })} c
      cross join lateral (select ${caseColumns(sql)}) shown
    order by c.position`;
}

/** Some cases by their ids, in their order. Those that are gone are left out. */
export async function selectCasesById(sql: Sql, ids: readonly string[]): Promise<JsonText<Case>[]> {
  const rows = await sql<{ item: JsonText<Case> }[]>`
    select row_to_json(shown)::text as item
    from eval_cases c cross join lateral (select ${caseColumns(sql)}) shown
    where c.id = any (${[...ids]}::text[]) order by c.position`;
  return rows.map(({ item }) => item);
}

/** The keys of a dataset that look like default ones. */
export async function selectNumberedKeys(sql: Sql, datasetId: string): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    select key from eval_cases where dataset_id = ${datasetId} and key like 'case-%'`;
  return rows.map(({ key }) => key);
}

/** The cases to write, as a table of the columns of eval_cases. */
const batchOf = (sql: Sql, cases: readonly PlacedCase[]): Fragment => sql`
  select b.key, b.position, coalesce(b.variables, '{}') as variables, b.messages, b.expected,
    coalesce(b.assertions, '[]') as assertions, coalesce(b.tags, '{}') as tags, coalesce(b.weight, 1) as weight
  from jsonb_to_recordset(${sql.json(cases as never)}) as b (
    key text, position int, variables jsonb, messages jsonb, expected jsonb, assertions jsonb, tags text[],
    weight float8)`;

const content = (sql: Sql, table: string): Fragment => {
  const of = (column: string) => sql(`${table}.${column}`);
  return sql`(${of("variables")}, ${of("messages")}, ${of("expected")}, ${of("assertions")}, ${of("tags")}, ${of("weight")})`;
};
const insertInto = (sql: Sql): Fragment => sql`
  insert into eval_cases (dataset_id, key, position, variables, messages, expected, assertions, tags, weight)`;

/** The case with the key of `batch b`. */
const knownCase = caseOf<{ datasetId: string }>((_, { datasetId }) => datasetId, "b.key");

/** A case whose key is in the dataset already. */
interface KnownCase {
  position: number;
  isSame: boolean;
}

/**
 * Writes the cases whose keys are not there yet, or nothing if a key is there with another content. Needs the dataset's row
 * lock. Gives the ids of what it wrote, and what was there already.
 */
export async function appendCases(
  sql: Sql,
  { datasetId, cases, dryRun = false }: { datasetId: string; cases: readonly PlacedCase[]; dryRun?: boolean },
): Promise<{ ids: string[]; known: KnownCase[] }> {
  return one(sql<{ ids: string[]; known: KnownCase[] }[]>`
    with batch as materialized (${batchOf(sql, cases)}), known as materialized (
      select b.position, ${content(sql, "b")} is not distinct from ${content(sql, "c")} as "isSame"
      from batch b cross join lateral ${knownCase(sql, { datasetId })} c
    ), written as (
      ${insertInto(sql)}
      select ${datasetId}, b.* from batch b
      where not ${dryRun} and not exists (select from known where not "isSame")
        and b.position not in (select position from known)
      returning id
    )
    select coalesce((select array_agg(id) from written), '{}') as ids,
      coalesce((select json_agg(k order by k.position) from known k), '[]') as known`);
}

/**
 * Writes the cases as they are, also those whose keys are there already: these keep their ids. Gives how many were there with
 * the same content, and how many differ, if only in their position. Needs the dataset's row lock.
 */
export async function putCases(
  sql: Sql,
  { datasetId, cases, dryRun }: { datasetId: string; cases: readonly PlacedCase[]; dryRun: boolean },
): Promise<{ same: number; written: number }> {
  return one(sql<{ same: number; written: number }[]>`
    with batch as materialized (${batchOf(sql, cases)}), known as materialized (
      select b.key, ${content(sql, "b")} is not distinct from ${content(sql, "c")} as same,
        b.position = c.position as stays
      from batch b cross join lateral ${knownCase(sql, { datasetId })} c
    ), written as (
      ${insertInto(sql)}
      select ${datasetId}, b.* from batch b
      where not ${dryRun} and b.key not in (select key from known where same and stays)
      on conflict (dataset_id, key) do update set position = excluded.position, variables = excluded.variables,
        messages = excluded.messages, expected = excluded.expected, assertions = excluded.assertions,
        tags = excluded.tags, weight = excluded.weight
      returning key
    )
    select (select count(*)::int from known where same) as same, (select count(*)::int from written) as written`);
}

/** Deletes all cases of a dataset but those with these keys, and gives how many. */
export async function deleteOtherCases(
  sql: Sql,
  { datasetId, keys, dryRun }: { datasetId: string; keys: readonly string[]; dryRun: boolean },
): Promise<number> {
  const { count } = await one(sql<{ count: number }[]>`
    with others as materialized (
      select id from eval_cases
      where dataset_id = ${datasetId} and key not in (select jsonb_array_elements_text(${sql.json([...keys])}))
    ), deleted as (
      delete from eval_cases where not ${dryRun} and id in (select id from others)
    )
    select count(*)::int as count from others`);
  return count;
}

/** Whether another case of the dataset has a key. */
export async function isKeyTaken(
  sql: Sql,
  { datasetId, id, key }: { datasetId: string; id: string; key: string },
): Promise<boolean> {
  const { count } = await sql`
    select from eval_cases where dataset_id = ${datasetId} and key = ${key} and id <> ${id}`;
  return count > 0;
}

/** Changes a case, and gives whether anything is different now. */
export async function updateCase(
  sql: Sql,
  { id, change }: { id: string; change: UpdateCase },
): Promise<boolean> {
  const { key, tags, weight } = change;
  const json = (name: "variables" | "messages" | "expected" | "assertions") => {
    const value = change[name];
    if (value === undefined) return sql(name);
    return value === null ? sql`null::jsonb` : sql`${sql.json(value as never)}::jsonb`;
  };
  const all = sql`
    ${key === undefined ? sql`key` : sql`${key}::text`}, ${json("variables")}, ${json("messages")}, ${json("expected")},
    ${json("assertions")}, ${tags === undefined ? sql`tags` : sql`${tags}::text[]`},
    ${weight === undefined ? sql`weight` : sql`${weight}::float8`}`;
  const { count } = await sql`
    update eval_cases set (key, variables, messages, expected, assertions, tags, weight) = row(${all})
    where id = ${id} and (key, variables, messages, expected, assertions, tags, weight) is distinct from (${all})`;
  return count > 0;
}

export const deleteCase = (sql: Sql, id: string) => sql`delete from eval_cases where id = ${id}`;
