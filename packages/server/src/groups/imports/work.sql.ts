import type { ImportSource, ImportStatus } from "@promptreg/core";
import type { Fragment, Sql } from "../../database/sql.ts";

/** How long the work on an import is another process's, if nothing is heard of it. */
const lease = (sql: Sql): Fragment => sql`clock() + interval '10 seconds'`;
/** How often a lease is renewed. */
export const renewMs = 2_500;

/** An import that this process works on. */
export interface Held {
  id: string;
  token: string;
  userId: string;
  source: ImportSource;
  /** How often work on it began, this time included. */
  attempts: number;
  /** What was uploaded must have this digest. */
  sha256: string | null;
  /** How long it had a slice of the processor before, and how long all imports of its account had one in the last hour. */
  workedMs: number;
  usedMs: number;
}

/** What imports of an account used in the last hour. */
const usedBy = (sql: Sql, userId: Fragment): Fragment => sql`(
  select coalesce(sum(o.worked_ms), 0)::int from imports o
  where o.user_id = ${userId} and o.taken_at > clock() - interval '1 hour')`;

/**
 * Takes an import with work that nobody does: the oldest of the account that used least in the last hour, and then of the one whose
 * last turn is the longest ago; one at a time of each. So nobody waits for all that others sent before. Null if there is none, or none
 * of an account that used less than `belowMs`.
 */
export async function takeImport(
  sql: Sql,
  {
    statuses,
    token,
    belowMs = null,
  }: { statuses: readonly ImportStatus[]; token: string; belowMs?: number | null },
): Promise<Held | null> {
  const isFree = (i: Fragment) => sql`
    ${i}.status in ('queued', 'detecting', 'committing') and ${i}.status = any (${[...statuses]})
    and (${i}.leased_until is null or ${i}.leased_until <= clock())`;
  const [row] = await sql<Held[]>`
    with waiting as materialized (
      select user_id, min(id) as id from imports i where ${isFree(sql`i`)} group by user_id
    )
    update imports i
    set status = case i.status when 'queued' then 'detecting' else i.status end, revision = revision + 1,
      lease_token = ${token}, leased_until = ${lease(sql)}, attempts = attempts + 1, taken_at = clock()
    where id = (
      select i.id from waiting w join imports i on i.id = w.id and ${isFree(sql`i`)}
      where not exists (
        select from imports o
        where o.user_id = w.user_id and o.status = any (${[...statuses]})
          and o.lease_token is not null and o.leased_until > clock()
      ) ${belowMs === null ? sql`` : sql`and ${usedBy(sql, sql`w.user_id`)} < ${Math.round(belowMs)}`}
      order by ${usedBy(sql, sql`w.user_id`)}, (
        select o.taken_at from imports o
        where o.user_id = w.user_id and o.taken_at is not null order by o.taken_at desc limit 1
      ) nulls first, w.id
      limit 1 for no key update of i skip locked
    )
    returning id, lease_token as token, user_id as "userId", source, attempts, upload_sha256 as sha256,
      worked_ms as "workedMs", ${usedBy(sql, sql`i.user_id`)} as "usedMs"`;
  return row ?? null;
}

/** Gives back imports whose worker was killed, so that their status says that nobody works on them. */
export const requeueLost = (sql: Sql) => sql`
  update imports set ${requeued(sql)}, lease_token = null
  where status = 'detecting' and leased_until <= clock()`;

/** What was found is deleted when the work begins anew. */
const requeued = (sql: Sql): Fragment => sql`
  status = case status when 'detecting' then 'queued' else status end,
  detected = case status when 'detecting' then 0 else detected end, revision = revision + 1`;

/** Whether an import is still held: who ends it deletes the lease, and who takes it has another. */
const isHeld = (sql: Sql, { id, token }: Pick<Held, "id" | "token">): Fragment => sql`
  id = ${id} and lease_token = ${token}`;

/** Says that the work goes on; false if the import is not held any more. */
export async function renewLease(sql: Sql, held: Held): Promise<boolean> {
  const { count } = await sql`
    update imports set leased_until = ${lease(sql)} where ${isHeld(sql, held)}`;
  return count > 0;
}

/** Adds to what an import used, which counts whatever becomes of it. */
export async function recordWork(sql: Sql, held: Held, ms: number): Promise<void> {
  held.workedMs += ms;
  held.usedMs += ms;
  await sql`update imports set worked_ms = worked_ms + ${Math.round(ms)} where id = ${held.id}`;
}

/** Locks an import that is still held; false if it is not. */
export async function lockHeld(sql: Sql, held: Held): Promise<boolean> {
  const { count } = await sql`select from imports where ${isHeld(sql, held)} for no key update`;
  return count > 0;
}

/** Gives an import back, to be taken after a pause. What was only interrupted is no attempt. */
export const releaseImport = (
  sql: Sql,
  held: Held,
  { pauseSeconds, isAttempt }: { pauseSeconds: number; isAttempt: boolean },
) => sql`
  update imports set ${requeued(sql)}, lease_token = null, leased_until = clock() + make_interval(secs => ${pauseSeconds}),
    attempts = attempts - ${isAttempt ? 0 : 1}
  where ${isHeld(sql, held)}`;
