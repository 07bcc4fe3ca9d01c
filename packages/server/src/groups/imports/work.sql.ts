import type { ImportSource, ImportStatus } from "@promptreg/core";
import type { Fragment, Sql } from "../../database/sql.ts";

/** How long the work on an import is another process's, if nothing is heard of it. */
const lease = (sql: Sql): Fragment => sql`clock() + interval '60 seconds'`;
/** How often a lease is renewed. */
export const renewMs = 15_000;

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
}

/**
 * Takes an import with work that nobody does: the oldest of the account whose last turn is the longest ago, one at a time of each.
 * So nobody waits for all that others sent before. Null if there is none.
 */
export async function takeImport(
  sql: Sql,
  { statuses, token }: { statuses: readonly ImportStatus[]; token: string },
): Promise<Held | null> {
  const [row] = await sql<Held[]>`
    update imports
    set status = case status when 'queued' then 'detecting' else status end, revision = revision + 1,
      lease_token = ${token}, leased_until = ${lease(sql)}, attempts = attempts + 1, taken_at = clock()
    where id = (
      select id from imports i
      where status in ('queued', 'detecting', 'committing') and status = any (${[...statuses]})
        and (leased_until is null or leased_until <= clock())
        and not exists (
          select from imports o
          where o.user_id = i.user_id and o.status in ('detecting', 'committing') and o.status = any (${[...statuses]})
            and o.lease_token is not null and o.leased_until > clock()
        )
      order by (
        select o.taken_at from imports o
        where o.user_id = i.user_id and o.taken_at is not null order by o.taken_at desc limit 1
      ) nulls first, id
      limit 1 for no key update skip locked
    )
    returning id, lease_token as token, user_id as "userId", source, attempts, upload_sha256 as sha256`;
  return row ?? null;
}

/** Whether an import is still held. It is cancelled by others, and taken by others whose lease it is. */
const isHeld = (sql: Sql, { id, token }: Pick<Held, "id" | "token">): Fragment => sql`
  id = ${id} and lease_token = ${token} and status in ('detecting', 'committing')`;

/** Says that the work goes on; false if the import is not held any more. */
export async function renewLease(sql: Sql, held: Held): Promise<boolean> {
  const { count } = await sql`
    update imports set leased_until = ${lease(sql)} where ${isHeld(sql, held)}`;
  return count > 0;
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
  update imports set lease_token = null, leased_until = clock() + make_interval(secs => ${pauseSeconds}),
    attempts = attempts - ${isAttempt ? 0 : 1}
  where ${isHeld(sql, held)}`;
