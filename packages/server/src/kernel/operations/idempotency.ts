import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import type { AnyReply } from "./respond.ts";

/** A request with an idempotency key. */
export interface Repeatable {
  userId: string;
  /** Method and path: the same key can be used for two operations. */
  operation: string;
  key: string;
  requestHash: Buffer;
}

/** Of a longer response only the subject is stored, and a replay reads the response again. */
const maxStoredBytes = 64 * 1024;

/**
 * Locks the key for the rest of the transaction, and gives the stored reply of an earlier request with this key. A reply that
 * was too long has a `subject` instead of its body.
 * @throws {ApiError} `idempotency_key_in_use` while that request runs, `idempotency_key_reused` if its body was different.
 */
export async function findStoredReply(sql: Sql, repeatable: Repeatable): Promise<AnyReply | null> {
  const { userId, operation, key } = repeatable;
  const [lock] = await sql<{ taken: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtextextended(${`${userId} ${operation} ${key}`}, 0)) as taken`;
  if (!lock?.taken) throw apiError("idempotency_key_in_use");
  return await selectStoredReply(sql, repeatable);
}

/**
 * Gives the stored reply of an earlier request with a key, which is not locked.
 * @throws {ApiError} `idempotency_key_reused`.
 */
export async function selectStoredReply(
  sql: Sql,
  { userId, operation, key, requestHash }: Repeatable,
): Promise<AnyReply | null> {
  const [stored] = await sql<{ requestHash: Buffer; status: number; headers: object; body: string }[]>`
    select request_hash as "requestHash", status, headers, body from idempotency_keys
    where user_id = ${userId} and operation = ${operation} and key = ${key}
      and created_at > clock() - interval '24 hours'`;
  if (stored === undefined) return null;
  if (!stored.requestHash.equals(requestHash)) throw apiError("idempotency_key_reused");
  return { ...stored.headers, status: stored.status, ...(stored.body !== "" && { json: stored.body }) };
}

/** Stores a reply in the transaction of its change, without the fields of `once`. */
export async function storeReply(sql: Sql, repeatable: Repeatable, reply: AnyReply): Promise<void> {
  const { status, json, etag, location, subject } = reply;
  const whole = json === undefined ? "" : typeof json === "string" ? json : JSON.stringify(json);
  const isLong = Buffer.byteLength(whole) > maxStoredBytes;
  if (isLong && subject === undefined)
    throw new Error("a response is too long to be stored, and has no subject");
  const headers = { ...(etag && { etag }), ...(location && { location }), ...(isLong && { subject }) };
  await sql`
    insert into idempotency_keys (user_id, operation, key, request_hash, status, headers, body)
    values (${repeatable.userId}, ${repeatable.operation}, ${repeatable.key}, ${repeatable.requestHash}, ${status},
      ${sql.json(headers as never)}, ${isLong ? "" : whole})
    on conflict (user_id, operation, key) do update set
      request_hash = excluded.request_hash, status = excluded.status, headers = excluded.headers,
      body = excluded.body, created_at = clock()`;
}

/** Deletes some of the expired keys with their replies. */
export const deleteExpiredKeys = (sql: Sql) => sql`
  delete from idempotency_keys where (user_id, operation, key) in (
    select user_id, operation, key from idempotency_keys
    where created_at < clock() - interval '24 hours' order by created_at limit 10000)`;
