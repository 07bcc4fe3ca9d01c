import { one } from "../../database/rows.ts";
import { apiError } from "@promptreg/core/errors";
import { piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { ServerContext } from "../server-context.ts";
import { countAll, figures } from "./counters.ts";

// What an account stores, in bytes. It is counted where it is written, so that one account cannot fill the disk. Requests
// that come at once all see the count before them, and may pass the limit together: nobody waits for the account's row.

type Account = { accountId: string };
const figuresOf = figures<Account>((_, { accountId }) => accountId);

/** How many bytes an account stores, including those of this transaction, as SQL. */
export const bytesOf = piece<Account>`(
  select coalesce(sum(value), 0)::float8 from ${figuresOf} where name = 'bytes')`;

export interface Storage {
  stored: number;
  /** How many bytes an operator lets the account store. Null: as many as others. */
  ownLimit: number | null;
}

/** What an account stores and may store, as columns. */
export const storageOf = piece<Account>`
  ${bytesOf} as stored, (select max_bytes::float8 from users where id = ${(_, { accountId }) => accountId}) as "ownLimit"`;

/** The same as a statement. */
export async function selectStorage(sql: Sql, accountId: string): Promise<Storage> {
  return one(sql<Storage[]>`select ${storageOf(sql, { accountId })}`);
}

/** Counts bytes that an account stores, or with a negative number no longer stores. `delta` is SQL of an int. */
export const countBytes = (sql: Sql, { accountId, delta }: Account & { delta: Fragment }): Fragment =>
  countAll(sql, sql`select ${accountId}, 'bytes', ${delta}`);

/** @throws {ApiError} `quota_exceeded` if an account that stores `stored` bytes may not store `more`. */
export function requireBytes(
  { accountBytes }: Pick<ServerContext, "accountBytes">,
  { stored, ownLimit, more }: Storage & { more: number },
): void {
  const limit = ownLimit ?? accountBytes;
  if (stored + more <= limit) return;
  const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  throw apiError("quota_exceeded", {
    message: `The files of this account can take ${mb(limit)} here. They take ${mb(stored)}, and these would add ${mb(more)}. Delete drafts and media that you no longer need, or ask the operator of this registry for more.`,
  });
}
