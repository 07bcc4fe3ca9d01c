import type { Sql } from "../../database/sql.ts";
import { withDatabaseTimeout } from "../../kernel/failures/database-timeout.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { ahead } from "./archives/ahead.ts";
import type { ArchiveFile } from "./archives/archive.ts";
import { type ListedFile, type Part, selectParts } from "./download.sql.ts";

/** Bytes that one statement reads. More would hold up the process while it reads their text; fewer wait for the database more often. */
const batchBytes = 1024 * 1024;

/** How a statement is run. No connection is held between two of them, however slow the client reads. */
export type Reader = <T>(read: (sql: Sql) => Promise<T>) => Promise<T>;

/** Each statement of a stream takes a turn of the client's address, as a request does. */
export const inTurns =
  ({ sql, turns }: Pick<ServerContext, "sql" | "turns">, network: string): Reader =>
  (read) =>
    turns.take(network, () => withDatabaseTimeout(read(sql)));

/** The memory that a file and what is read with it need at most. */
export function heldBy(files: readonly ListedFile[]): number {
  const sizes = files.map(({ size }) => size);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  return Math.min(all, batchBytes + Math.max(0, ...sizes));
}

/** Reads the files of a version in their order. Versions never change: it needs no transaction. */
export async function* readContents(read: Reader, files: readonly ListedFile[]): AsyncGenerator<ArchiveFile> {
  let known: Buffer[] = [];
  for await (const batch of ahead(readBatches(read, files))) {
    for (const { file, from, length, bytes } of batch) {
      known.push(bytes);
      if (from + length < file.size) continue;
      const { path, mode } = file;
      yield { path, mode, content: known.length === 1 ? bytes : Buffer.concat(known) };
      known = [];
    }
  }
}

interface FilePart extends Part {
  file: ListedFile;
}

async function* readBatches(read: Reader, files: readonly ListedFile[]) {
  for (const batch of batchesOf(files.flatMap(partsOf))) {
    const contents = await read((sql) => selectParts(sql, batch));
    yield batch.map((part, nth) => ({ ...part, bytes: contents[nth]! }));
  }
}

/** A file in parts that a statement can read; an empty one is a part too. */
function partsOf(file: ListedFile): FilePart[] {
  const { sha256, size } = file;
  const count = Math.max(1, Math.ceil(size / batchBytes));
  return Array.from({ length: count }, (_, nth) => {
    const from = nth * batchBytes;
    return { file, sha256, from, length: Math.min(batchBytes, size - from) };
  });
}

function batchesOf(parts: readonly FilePart[]): FilePart[][] {
  const batches: FilePart[][] = [];
  let bytes = Infinity;
  for (const part of parts) {
    if (bytes + part.length > batchBytes) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(part);
    bytes += part.length;
  }
  return batches;
}
