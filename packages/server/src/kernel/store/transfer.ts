import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { closeSpool, openSpool } from "./spool.ts";
import { LostFileError, type Store } from "./store.ts";

/** How much was carried. */
export interface Carried {
  files: number;
  bytes: number;
}

/** Files of an export, each under its key. */
const filesFolder = (folder: string) => join(folder, "media");

/** While an export holds this, sweeps delete nothing: what was in use when it began may be in use no more. */
export const exportLock = 4_387_261;

/** Holds sweeps up until the connection ends. To be called before the transaction begins, whose rows are exported. */
export const holdSweeps = (client: pg.Client) =>
  client.query(`select pg_advisory_lock_shared(${exportLock})`);

/** Copies what the rows of a transaction have in use from the store into the folder of an export. */
export async function exportFiles(client: pg.Client, store: Store, folder: string): Promise<Carried> {
  const carried = { files: 0, bytes: 0 };
  for await (const { key, size, usedBy } of usedFiles(client)) {
    if (carried.files === 0) await mkdir(filesFolder(folder), { mode: 0o700 });
    const path = join(filesFolder(folder), key);
    const file = createWriteStream(path, { mode: 0o600, flags: "wx", flush: true });
    await pipeline(await got(store, { key, usedBy }), file);
    requireSize(key, size, (await stat(path)).size);
    carried.files += 1;
    carried.bytes += size;
  }
  return carried;
}

/** Copies the files of an export into the store. Done again, it changes nothing. */
export async function importFiles(client: pg.Client, store: Store, folder: string): Promise<void> {
  let spool: string | undefined;
  try {
    for await (const { key, size } of usedFiles(client)) {
      spool ??= await openSpool(store.spoolFolder);
      const path = join(spool, randomUUID());
      const digest = createHash("sha256");
      const hashed = async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          digest.update(chunk);
          yield chunk;
        }
      };
      await pipeline(createReadStream(join(filesFolder(folder), key)), hashed, createWriteStream(path));
      requireSize(key, size, (await stat(path)).size);
      await store.put(key, { path, size, sha256: digest.digest("hex") });
    }
  } finally {
    if (spool !== undefined) await closeSpool(spool);
  }
}

/** Names the media whose file is lost: without it, nobody knows what to delete. */
const got = (store: Store, { key, usedBy }: Pick<UsedFile, "key" | "usedBy">): Promise<Readable> =>
  store.get(key).catch((error: unknown) => {
    if (error instanceof LostFileError)
      error.message += `, which ${usedBy} uses. Put it back, or delete what shows it and then DELETE /media/${usedBy}`;
    throw error;
  });

interface UsedFile {
  key: string;
  size: number;
  usedBy: string;
}

const atOnce = 1_000;

async function* usedFiles(client: pg.Client): AsyncGenerator<UsedFile> {
  for (let after = ""; ; ) {
    const { rows } = await client.query<UsedFile>(
      `select key, size::float8 as size, used_by as "usedBy" from stored_files where used_by is not null and key > $1 order by key limit ${atOnce}`,
      [after],
    );
    yield* rows;
    after = rows.at(-1)?.key ?? after;
    if (rows.length < atOnce) return;
  }
}

function requireSize(key: string, wanted: number, found: number): void {
  if (found !== wanted)
    throw Object.assign(new Error(`${key} has ${found} bytes instead of ${wanted}`), { code: "EIO" });
}
