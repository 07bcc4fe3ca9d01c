import type { Sql } from "../../database/sql.ts";

/** The time of the database, which all processes share, in milliseconds. */
export async function readClock(sql: Sql): Promise<number> {
  const [row] = await sql<{ nowMs: number }[]>`
    select (extract(epoch from clock()) * 1000)::float8 as "nowMs"`;
  return row!.nowMs;
}

/** What one process counted for a key, in a slot and the one before, and has not written yet. */
export interface NewCount {
  policy: string;
  slot: number;
  /** In hexadecimal. */
  keyDigest: string;
  used: number;
  usedBefore: number;
}

/** What all processes have written. `usedBefore` does not include this statement. */
export interface Total {
  used: number;
  usedBefore: number;
  nowMs: number;
}

/**
 * Adds counts, and gives the totals in the same order. Rows are sorted, because two processes that lock the same rows in
 * different orders would deadlock. They are grouped, because a key that was dropped meanwhile can come twice.
 */
export async function addCounts(sql: Sql, counts: readonly NewCount[]): Promise<Total[]> {
  return await sql<Total[]>`
    with new as (
      select policy, slot, decode(digest, 'hex') as key, used, used_before, n from unnest(
        ${counts.map(({ policy }) => policy)}::text[], ${counts.map(({ slot }) => slot)}::bigint[],
        ${counts.map(({ keyDigest }) => keyDigest)}::text[], ${counts.map(({ used }) => used)}::int[],
        ${counts.map(({ usedBefore }) => usedBefore)}::int[]
      ) with ordinality as counted (policy, slot, digest, used, used_before, n)
    ), added as (
      insert into rate_counts as counts (policy, slot, key, used)
      select policy, slot, key, sum(used) from (
        select policy, slot, key, used from new
        union all select policy, slot - 1, key, used_before from new where used_before <> 0
      ) every_slot
      group by policy, slot, key order by policy, slot, key
      on conflict (policy, slot, key) do update set used = counts.used + excluded.used
      returning policy, slot, key, used
    )
    select added.used, coalesce(before.used, 0) as "usedBefore",
      (extract(epoch from clock()) * 1000)::float8 as "nowMs"
    from new join added using (policy, slot, key)
      left join rate_counts before
        on before.policy = new.policy and before.slot = new.slot - 1 and before.key = new.key
    order by n`;
}

/** Deletes rows older than the given slot of each policy, except those that another process is deleting. */
export async function deleteOldCounts(
  sql: Sql,
  oldest: readonly { policy: string; slot: number }[],
): Promise<void> {
  await sql`
    delete from rate_counts where (policy, slot, key) in (
      select policy, slot, key from rate_counts join unnest(
        ${oldest.map(({ policy }) => policy)}::text[], ${oldest.map(({ slot }) => slot)}::bigint[]
      ) as oldest (policy, oldest_slot) using (policy)
      where slot < oldest_slot for update of rate_counts skip locked
    )`;
}
