import { limitTo } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";

/** The key of what the CDN must forget: the id of a prompt or of media. */
export interface Purge {
  id: string;
  key: string;
}

/** What some CDNs take at once. */
const atOnce = limitTo(30);

/**
 * Has the CDN forget what it has of prompts, in the transaction of the change that hides or changes that. Every process writes these rows: the one that has
 * the change need not know of a CDN. Those of media are written by triggers, since many things show media.
 */
export const requestPurges = (sql: Sql, promptIds: Fragment): Fragment =>
  sql`insert into purges (key) ${promptIds}`;

/** Whether something is due. */
export async function hasDuePurges(sql: Sql): Promise<boolean> {
  const { count } = await sql`select from purges where due_at <= clock() order by due_at limit 1`;
  return count > 0;
}

/** Has what failed sent again at once: the CDN, or its settings, are well again. */
export const hastenPurges = (sql: Sql) => sql`
  update purges set due_at = clock()
  where id = any (array(
    select id from purges where attempts > 0 and due_at > clock() order by due_at for update skip locked
  ))`;

/** Locks what is due until the transaction ends: if the worker is killed, another one has it at once. */
export const lockPurges = (sql: Sql): Promise<Purge[]> => sql<Purge[]>`
  select id, key from purges where due_at <= clock() order by due_at ${atOnce(sql)} for update skip locked`;

/**
 * The CDN has forgotten them. A response that was made before may still be on its way to it, so it is asked once more a minute after
 * the change: no statement, and no wait for a turn, takes as long.
 */
export async function endPurges(sql: Sql, purges: readonly Purge[]): Promise<void> {
  const ids = purges.map(({ id }) => id);
  await sql`delete from purges where id = any(${ids}) and requested_at <= clock() - interval '1 minute'`;
  await sql`
    update purges set sent_at = clock(), due_at = requested_at + interval '1 minute', attempts = 0 where id = any(${ids})`;
}

/** They are sent again after 2 seconds, doubled each time up to five minutes. */
export async function delayPurges(sql: Sql, purges: readonly Purge[]): Promise<void> {
  await sql`
    update purges set attempts = attempts + 1, due_at = clock() + least(300, 2 ^ least(attempts + 1, 9)) * interval '1 second'
    where id = any(${purges.map(({ id }) => id)})`;
}

/** Deletes what no worker sends, since there is no CDN. */
export async function deletePurges(sql: Sql): Promise<void> {
  await sql`delete from purges where requested_at < clock() - interval '1 day'`;
}
