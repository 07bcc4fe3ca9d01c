import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import { insertChunk, recordChunk } from "./chunks.sql.ts";
import { wakeImports } from "./imports.sql.ts";

/** A chunk, and where it belongs. */
interface Chunk {
  start: number;
  /** Of the whole file. */
  size: number;
  bytes: Buffer;
}

/** @throws {ApiError} `validation_failed` if the body is not as long as its header says. */
export function placed(range: string, bytes: Buffer): Chunk {
  const [start = 0, end = 0, size = 0] = range.match(/\d+/g)?.map(Number) ?? [];
  if (bytes.length > 0 && end - start + 1 === bytes.length && end < size) return { start, size, bytes };
  throw invalidRange(`says ${range}, and the body has ${bytes.length} bytes`);
}

export function requireSize(chunk: Chunk, size: number): void {
  if (chunk.size !== size) throw invalidRange(`says a size of ${chunk.size} bytes, and the file has ${size}`);
}

const invalidRange = (problem: string) =>
  apiError("validation_failed", {
    message: `Content-Range ${problem}.`,
    details: [{ path: "/content-range", code: "custom", message: problem }],
  });

/** @throws {ApiError} `upload_offset_mismatch` if bytes before the chunk are missing. */
export function requireStart({ start }: Chunk, received: number): void {
  if (start <= received) return;
  throw apiError("upload_offset_mismatch", {
    message: `The next byte that is missing is ${received}. Send the file from there.`,
    details: [{ path: "/upload/received", code: "expected_offset", message: String(received) }],
  });
}

/** Stores what is new of a chunk. With its last byte, a file waits for its detection. */
export async function store(
  sql: Sql,
  { importId, received, chunk: { start, size, bytes } }: { importId: string; received: number; chunk: Chunk },
): Promise<void> {
  const isNew = bytes.subarray(Math.max(0, received - start));
  if (isNew.length === 0) return;
  await insertChunk(sql, { importId, start: received, bytes: isNew });
  const isWhole = received + isNew.length === size;
  await recordChunk(sql, { importId, received: received + isNew.length, isWhole });
  if (isWhole) await wakeImports(sql);
}
