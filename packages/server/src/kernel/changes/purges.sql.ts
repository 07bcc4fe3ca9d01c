import { limitTo } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";

/** A prompt of which the CDN must forget everything, leased to one worker. */
export interface Purge {
  promptId: string;
  /** How often it was requested so far. */
  requests: number;
}

/** What some CDNs take at once. */
const atOnce = limitTo(30);

/**
 * Has the CDN forget what it has of prompts, in the transaction of the change that hides or changes that. Every process writes these rows: the one that has
 * the change need not know of a CDN.
 */
export const requestPurges = (sql: Sql, promptIds: Fragment): Fragment => sql`
  insert into purges (prompt_id) select id from (${promptIds}) hidden (id) order by id
  on conflict (prompt_id) do update
    set requested_at = clock(), requests = purges.requests + 1, sent_at = null, due_at = clock(), attempts = 0`;

/** Leases what is due, for longer than a request to the CDN takes. */
export const leasePurges = (sql: Sql): Promise<Purge[]> => sql<Purge[]>`
  update purges set due_at = clock() + interval '10 seconds', attempts = attempts + 1
  where prompt_id in (select prompt_id from purges where due_at <= clock() order by due_at ${atOnce(sql)} for update skip locked)
  returning prompt_id as "promptId", requests`;

/**
 * The CDN has forgotten them. A response that was made before may still be on its way to it, so it is asked once more a minute after
 * the change: no statement, and no wait for a turn, takes as long.
 */
export async function endPurges(sql: Sql, purges: readonly Purge[]): Promise<void> {
  const isSent = sql`
    (prompt_id, requests) in (
      select * from unnest(${purges.map(({ promptId }) => promptId)}::text[], ${purges.map(({ requests }) => requests)}::int[]))`;
  await sql`delete from purges where ${isSent} and requested_at <= clock() - interval '1 minute'`;
  await sql`
    update purges set sent_at = clock(), due_at = requested_at + interval '1 minute', attempts = 0 where ${isSent}`;
}

/** They are sent again after 2 seconds, doubled each time up to five minutes. */
export async function delayPurges(sql: Sql, purges: readonly Purge[]): Promise<void> {
  await sql`
    update purges set due_at = clock() + least(300, 2 ^ least(attempts, 9)) * interval '1 second'
    where prompt_id = any(${purges.map(({ promptId }) => promptId)}) and due_at > clock()`;
}

/** Deletes what no worker sends, since there is no CDN. */
export async function deletePurges(sql: Sql): Promise<void> {
  await sql`delete from purges where requested_at < clock() - interval '1 day'`;
}
