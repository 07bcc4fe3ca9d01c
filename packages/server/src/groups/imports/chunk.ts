import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import { insertChunk, recordChunk } from "./chunks.sql.ts";
import type { Bus } from "../../kernel/changes/bus.ts";
import { wakeImports } from "./imports.sql.ts";

/** A chunk, and where it belongs. */
interface Chunk {
  start: number;
  /** Of the whole file. */
  size: number;
  bytes: Buffer;
}

const form = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/;

/**
 * Says where a chunk of a file of `size` bytes belongs.
 * @throws {ApiError} `invalid_range` or `range_not_satisfiable`; `validation_failed` if its header says something else than its body
 * or the size.
 */
export function placed(range: string, bytes: Buffer, size: number): Chunk {
  const [start = 0, end = -1, said = 0] = form.exec(range)?.slice(1).map(Number) ?? [];
  if (end < start) throw apiError("invalid_range");
  if (end >= size) {
    throw apiError("range_not_satisfiable", {
      message: `The chunk ends at byte ${end}, and the last byte of the file is ${size - 1}: it was announced with ${size} bytes. Send the chunk without the rest, or begin a new upload with the right size.`,
    });
  }
  if (said !== size) throw contradicted(`says a size of ${said} bytes, and the file has ${size}`);
  if (end - start + 1 !== bytes.length)
    throw contradicted(`says ${range}, and the body has ${bytes.length} bytes`);
  return { start, size, bytes };
}

const contradicted = (problem: string) =>
  apiError("validation_failed", {
    message: `Content-Range ${problem}.`,
    details: [{ path: "/content-range", code: "custom", message: problem }],
  });

/** @throws {ApiError} `upload_offset_mismatch` if bytes before the chunk are missing. */
export function requireStart({ start }: Chunk, received: number): void {
  if (start <= received) return;
  throw apiError("upload_offset_mismatch", {
    message: `The next byte that is missing is ${received}. Send the file from there.`,
    details: [{ path: "received", code: "custom", message: String(received) }],
  });
}

/** Stores what is new of a chunk. With its last byte, a file waits for its detection. */
export async function store(
  { sql, server }: { sql: Sql; server: { bus: Bus } },
  { importId, received, chunk: { start, size, bytes } }: { importId: string; received: number; chunk: Chunk },
): Promise<void> {
  const isNew = bytes.subarray(Math.max(0, received - start));
  if (isNew.length === 0) return;
  await insertChunk(sql, { importId, start: received, bytes: isNew });
  const isWhole = received + isNew.length === size;
  await recordChunk(sql, { importId, received: received + isNew.length, isWhole });
  if (isWhole) await wakeImports(sql, server);
}
