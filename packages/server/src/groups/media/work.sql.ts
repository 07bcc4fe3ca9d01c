import type { MediaKind } from "@promptreg/core";
import type { Fragment, Sql } from "../../database/sql.ts";
import { ownedBy } from "../../kernel/accounts/ownership.ts";
import type { LocalFile } from "../../kernel/store/store.ts";
import type { Processed } from "./processing/task.ts";

/** How long the work on media is another process's, if nothing is heard of it: longer than the work may take. */
const lease = (sql: Sql): Fragment => sql`clock() + interval '5 minutes'`;

/** Media that this process works on. */
export interface Held {
  id: string;
  token: string;
  ownerId: string;
  kind: MediaKind;
  mediaType: string;
  fileKey: string;
  /** The digest of what was sent. */
  sha256: string;
  /** How often work on them began, this time included. */
  attempts: number;
}

/** Whether `media o` are of the account that a turn is about. */
const isOfTurn = ownedBy("w.account", "o");

const isFree = (sql: Sql): Fragment => sql`
  m.status = 'processing' and m.deleted_at is null and (m.leased_until is null or m.leased_until <= clock())`;

/**
 * Takes media that wait and that nobody works on: of the account whose last turn is the longest ago, one at a time of each. So nobody
 * waits for all that others sent before, and media that pause after a failure hold up no others. Null if there are none.
 */
export async function takeMedia(sql: Sql, token: string): Promise<Held | null> {
  const [row] = await sql<Held[]>`
    with waiting as materialized (
      select m.owner_id as account, min(m.id) as id from media m where ${isFree(sql)} group by m.owner_id
    )
    update media m set lease_token = ${token}, leased_until = ${lease(sql)}, attempts = attempts + 1, taken_at = clock()
    where m.id = (
      select m.id from waiting w join media m on m.id = w.id and ${isFree(sql)}
      where not exists (
        select from media o
        where ${isOfTurn(sql)} and o.status = 'processing' and o.deleted_at is null and o.lease_token is not null and o.leased_until > clock()
      )
      order by (
        select o.taken_at from media o
        where ${isOfTurn(sql)} and o.taken_at is not null order by o.taken_at desc limit 1
      ) nulls first, w.id
      limit 1 for no key update of m skip locked
    )
    returning m.id, m.lease_token as token, m.owner_id as "ownerId", m.kind, m.media_type as "mediaType",
      m.file_key as "fileKey", m.sent_sha256 as sha256, m.attempts`;
  return row ?? null;
}

/** Locks media that are still held; false if they were deleted, or are another process's now. */
export async function lockHeld(sql: Sql, { id, token }: Held): Promise<boolean> {
  const { count } = await sql`
    select from media where id = ${id} and lease_token = ${token} and deleted_at is null
    for no key update`;
  return count > 0;
}

/** Gives media back, to be taken again after a pause. What was only interrupted is no attempt. */
export const releaseMedia = (
  sql: Sql,
  { id, token }: Held,
  { pauseSeconds, isAttempt }: { pauseSeconds: number; isAttempt: boolean },
) => sql`
  update media set lease_token = null, leased_until = clock() + make_interval(secs => ${pauseSeconds}),
    attempts = attempts - ${isAttempt ? 0 : 1}
  where id = ${id} and lease_token = ${token}`;

/** A file with its key in the store. */
export type Put = LocalFile & { key: string };

/** Writes what became of held media. Without `whole`, what was sent is served. */
export const finishMedia = (
  sql: Sql,
  { id }: Held,
  {
    processed: { kind, mediaType, width, height, durationMs },
    whole,
    thumbnail,
  }: { processed: Processed; whole: Put | null; thumbnail: Put | null },
) => sql`
  update media set status = 'ready', kind = ${kind}, media_type = ${mediaType}, width = ${width}, height = ${height},
    duration_ms = ${durationMs}, thumbnail_key = ${thumbnail?.key ?? null}, lease_token = null, revision = revision + 1
    ${whole ? sql`, file_key = ${whole.key}, size = ${whole.size}, sha256 = ${whole.sha256}` : sql``}
  where id = ${id}`;

/** Ends held media with a sentence for their owner. */
export const rejectMedia = (sql: Sql, { id }: Held, reason: string) => sql`
  update media set status = 'rejected', reject_reason = ${reason}, file_key = null, lease_token = null, revision = revision + 1
  where id = ${id}`;
