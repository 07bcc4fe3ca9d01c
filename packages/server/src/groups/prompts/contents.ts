import type { Sql } from "../../database/sql.ts";
import { withDatabaseTimeout } from "../../kernel/database-timeout.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import type { ArchiveFile } from "./archives/archive.ts";
import { type ListedFile, selectContents, selectPart } from "./download.sql.ts";

/** Bytes that one statement reads. More would hold up the process while the driver reads their text. */
const batchBytes = 512 * 1024;

/** How a statement is run. No connection is held between two of them, however slow the client reads. */
export type Reader = <T>(read: (sql: Sql) => Promise<T>) => Promise<T>;

/** Each statement of a stream takes a turn of the client's address, as a request does. */
export const inTurns =
  ({ sql, turns }: Pick<ServerContext, "sql" | "turns">, network: string): Reader =>
  (read) =>
    turns.take(network, () => withDatabaseTimeout(read(sql)));

/** The memory that `readContents` needs at most. */
export const heldBy = (files: readonly ListedFile[]): number =>
  batchBytes + Math.max(0, ...files.map(({ size }) => size));

/** Reads the files of a version in their order. Versions never change: it needs no transaction. */
export async function* readContents(read: Reader, files: readonly ListedFile[]): AsyncGenerator<ArchiveFile> {
  for (const batch of batchesOf(files)) {
    const contents = await readBatch(read, batch);
    for (const { path, mode, sha256 } of batch) {
      const content = contents.get(sha256);
      if (content === undefined) throw new Error(`no content has the digest ${sha256}`);
      yield { path, mode, content };
    }
  }
}

/** Files that are read together. A large one stands alone. */
function batchesOf(files: readonly ListedFile[]): ListedFile[][] {
  const batches: ListedFile[][] = [];
  let bytes = Infinity;
  for (const file of files) {
    if (bytes + file.size > batchBytes) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(file);
    bytes += file.size;
  }
  return batches;
}

async function readBatch(read: Reader, batch: readonly ListedFile[]): Promise<Map<string, Buffer>> {
  const [first] = batch;
  if (first === undefined || first.size <= batchBytes) {
    return read((sql) =>
      selectContents(
        sql,
        batch.map(({ sha256 }) => sha256),
      ),
    );
  }
  const { sha256, size } = first;
  const content = Buffer.alloc(size);
  for (let from = 0; from < size; from += batchBytes) {
    const part = await read((sql) => selectPart(sql, { sha256, from, length: batchBytes }));
    part.copy(content, from);
  }
  return new Map([[sha256, content]]);
}
