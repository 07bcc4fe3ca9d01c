import { randomBytes } from "node:crypto";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import { countBytes } from "../changes/account-bytes.ts";
import type { LocalFile, Store } from "./store.ts";
import { exportLock } from "./transfer.ts";

// Bytes come and go in transactions of their own, in an order in which a process can be killed after each step: a row for the key, the
// bytes, what uses them; and back: nothing uses them, the bytes, the row. What is between is found by its row.

interface Storing {
  sql: Sql;
  store: Store;
}

/** Stores a file under a new key, and gives the key. Unless a transaction keeps it within a quarter of an hour, it is deleted. */
export async function storeFile({ sql, store }: Storing, file: LocalFile): Promise<string> {
  const key = randomBytes(20).toString("hex");
  await sql`insert into stored_files (key, size) values (${key}, ${file.size})`;
  await store.put(key, file);
  return key;
}

/**
 * Keeps a stored file for a thing, and counts its bytes for the account, in the transaction that writes the thing.
 * @throws {ApiError} `unavailable` if it took so long that the file is deleted already.
 */
export async function keepFile(
  sql: Sql,
  { key, usedBy, accountId }: { key: string; usedBy: string; accountId: string },
): Promise<void> {
  const [kept] = await sql<{ size: string }[]>`
    update stored_files set used_by = ${usedBy}
    where key = ${key} and used_by is null and doomed_at is null returning size`;
  if (kept === undefined) throw apiError("unavailable", { message: "Storing took too long. Try again." });
  await countBytes(sql, { accountId, delta: sql`${kept.size}::int` });
}

/** Gives up the stored files of a thing, in the transaction that ends it. `keys`: only those. */
export async function dropFiles(
  sql: Sql,
  { usedBy, accountId, keys }: { usedBy: string; accountId: string; keys?: readonly string[] },
): Promise<void> {
  const dropped = await sql<{ size: string }[]>`
    update stored_files set used_by = null, doomed_at = clock()
    where used_by = ${usedBy} ${keys ? sql`and key = any (${[...keys]})` : sql``} returning size`;
  const bytes = dropped.reduce((sum, { size }) => sum + Number(size), 0);
  if (bytes > 0) await countBytes(sql, { accountId, delta: sql`${-bytes}::int` });
}

const atOnce = 100;

/** Deletes what nothing uses, unless an export needs it. If the store fails, the rows stay, for the next time. */
export async function sweepFiles({ sql, store }: Storing): Promise<void> {
  for (;;) {
    // Committed first: from then on nothing can keep these keys.
    await sql`
      update stored_files set doomed_at = clock() where key in (
        select key from stored_files
        where used_by is null and doomed_at is null and created_at < clock() - interval '15 minutes'
        order by created_at limit ${atOnce} for update skip locked)`;
    const doomed = await sql<{ key: string }[]>`
      with turn as materialized (select pg_try_advisory_xact_lock(${exportLock}) as "isOurs")
      select key from stored_files
      where used_by is null and doomed_at is not null and (select "isOurs" from turn)
      order by created_at limit ${atOnce}`;
    for (const { key } of doomed) {
      await store.delete(key);
      await sql`delete from stored_files where key = ${key} and doomed_at is not null`;
    }
    if (doomed.length < atOnce) return;
  }
}
