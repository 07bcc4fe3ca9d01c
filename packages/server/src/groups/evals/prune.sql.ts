import { limitTo } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";

/** The most runs that one sweep deletes: more than are reported in a minute. */
const oneSweep = limitTo(1_000);

/** The most results that one statement deletes. */
const someResults = limitTo(5_000);

/**
 * Runs to delete, oldest first: older than the newest `kept` of their prompt, ended and not pinned. It searches only prompts
 * with a run that began within the hour: others have no more runs than before.
 */
export async function selectSurplusRuns(sql: Sql, { kept }: { kept: number }): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select older.id from (
      select distinct prompt_id from eval_runs where id > first_id('run', clock() - interval '1 hour')
    ) active cross join lateral (
      select id, status, pinned from eval_runs r where r.prompt_id = active.prompt_id order by id desc offset ${kept}
    ) older
    where older.status <> 'running' and not older.pinned
    order by older.id ${oneSweep(sql)}`;
  return rows.map(({ id }) => id);
}

/** Runs that people deleted, whose rows are still there, the earliest first. */
export async function selectDeletedRuns(sql: Sql): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from eval_runs where deleted_at is not null order by deleted_at ${oneSweep(sql)}`;
  return rows.map(({ id }) => id);
}

/** Locks a run that can still be deleted; false if it is gone or locked by another transaction. */
export async function lockSurplusRun(sql: Sql, id: string): Promise<boolean> {
  const { count } = await sql`
    select from eval_runs where id = ${id} and (deleted_at is not null or status <> 'running' and not pinned)
    for update skip locked`;
  return count > 0;
}

/** Deletes some results of a run; false if there were none. */
export async function deleteSomeResults(sql: Sql, runId: string): Promise<boolean> {
  const { count } = await sql`
    delete from eval_results where ctid = any (
      array(select ctid from eval_results where run_id = ${runId} ${someResults(sql)}))`;
  return count > 0;
}

export const deleteRun = (sql: Sql, id: string) => sql`delete from eval_runs where id = ${id}`;
