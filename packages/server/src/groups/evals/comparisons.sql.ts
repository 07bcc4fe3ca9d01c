import type { Change } from "@promptreg/core";
import type { MeasuredRuns } from "@promptreg/core/evals";
import { limitTo } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";

/** A comparison that is kept: two ended runs, and the number of the method. */
export interface Kept {
  a: string;
  b: string;
  method: number;
}

/** What is kept of a prompt, and in all, at most. The oldest ones go first. */
export const bounds = {
  prompt: { comparisons: 200, bytes: 32 * 1024 * 1024 },
  all: { comparisons: 20_000, bytes: 2 * 1024 ** 3 },
};
type Bound = (typeof bounds)["all"];

/** Keys that are stored in a row: more would be read for nothing, fewer are more rows. */
const keysOfRow = 256;

/** What two runs come to; null if that is not kept. */
export async function selectStoredFigures(sql: Sql, { a, b, method }: Kept): Promise<MeasuredRuns | null> {
  const [row] = await sql<{ figures: MeasuredRuns }[]>`
    select figures from eval_comparisons where a_run_id = ${a} and b_run_id = ${b} and method = ${method}`;
  return row?.figures ?? null;
}

/** Begins to keep a comparison; false if another process does. It waits until that has ended. */
export async function insertComparison(sql: Sql, { a, b, method }: Kept, promptId: string): Promise<boolean> {
  const { count } = await sql`
    insert into eval_comparisons (a_run_id, b_run_id, method, prompt_id) values (${a}, ${b}, ${method}, ${promptId})
    on conflict do nothing`;
  return count > 0;
}

/** Stores keys of cases, from `matched`. */
export const keepKeys = (sql: Sql, { a, b, method }: Kept): Fragment => sql`
  insert into eval_compared_cases (a_run_id, b_run_id, method, change, last_key, keys)
  select ${a}, ${b}, ${method}::int, change, max(case_key), array_agg(case_key)
  from (
    select change, case_key, (row_number() over (partition by change order by case_key) - 1) / ${keysOfRow}::int as nth_row
    from matched
  ) numbered group by change, nth_row`;

/** Stores what a comparison came to, once its keys are stored. */
export const storeFigures = (sql: Sql, { a, b, method }: Kept, figures: MeasuredRuns) => sql`
  update eval_comparisons set figures = ${JSON.stringify(figures)}::text::json, bytes = (
    select coalesce(sum(pg_column_size(k.*)), 0)::int from eval_compared_cases k
    where k.a_run_id = ${a} and k.b_run_id = ${b} and k.method = ${method})
  where a_run_id = ${a} and b_run_id = ${b} and method = ${method}`;

/** The first kept keys after one, of cases that changed so; null if the comparison is not kept. */
export async function selectStoredKeys(
  sql: Sql,
  { a, b, method }: Kept,
  { after, changes, take }: { after: string; changes: readonly Change[]; take: number },
): Promise<string[] | null> {
  const [row] = await sql<{ keys: string[] }[]>`
    select array(
      select k.key from unnest(${[...changes]}::text[]) c (change) cross join lateral (
        select key from (
          select keys from eval_compared_cases
          where a_run_id = ${a} and b_run_id = ${b} and method = ${method} and change = c.change and last_key > ${after}
          order by last_key limit ${Math.ceil(take / keysOfRow) + 1}
        ) found cross join unnest(keys) key
        where key > ${after} order by key limit ${take}
      ) k order by k.key limit ${take}
    ) as keys
    from eval_comparisons where a_run_id = ${a} and b_run_id = ${b} and method = ${method}`;
  return row?.keys ?? null;
}

/** Deletes the oldest comparisons of a prompt, or of all, if there are more than are kept. */
export const pruneComparisons = (sql: Sql, { comparisons, bytes }: Bound, promptId?: string) => {
  const where = promptId === undefined ? sql`true` : sql`prompt_id = ${promptId}`;
  return sql`
    delete from eval_comparisons where ${where} and made_at <= (
      select made_at from (
        select made_at, row_number() over newest as nth, sum(bytes) over newest as bytes from eval_comparisons
        where ${where} window newest as (order by made_at desc rows unbounded preceding)
      ) kept
      where nth > ${comparisons} or kept.bytes > ${bytes} ${limitTo(1)(sql)})`;
};
