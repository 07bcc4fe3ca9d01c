import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Busboy } from "@fastify/busboy";
import type { Multipart } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { parse } from "./validate.ts";

/** A file of a form, on the disk until the request ends. */
export interface SpooledFile {
  field: string;
  filename: string;
  /** What the sender calls it: not to be trusted. */
  mediaType: string;
  size: number;
  path: string;
}

export interface MultipartBody<F> {
  fields: F;
  files: SpooledFile[];
}

const maxFiles = 10;
const maxFields = 50;
const maxFieldBytes = 64 * 1024;

/** Reads a form with its files streamed to the disk: no upload is ever held in memory. */
export async function readMultipart<F>(
  request: globalThis.Request,
  { schema, maxBytes }: Multipart<F>,
): Promise<{ body: MultipartBody<F>; discard(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "promptreg-upload-"));
  const discard = () => rm(folder, { recursive: true, force: true });
  try {
    const { fields, files } = await spool(request, { folder, maxBytes });
    return { body: { fields: parse(schema, fields), files }, discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

async function spool(
  request: globalThis.Request,
  { folder, maxBytes }: { folder: string; maxBytes: number },
): Promise<{ fields: Record<string, string>; files: SpooledFile[] }> {
  const fields: Record<string, string> = Object.create(null);
  const files: SpooledFile[] = [];
  const writes: Promise<void>[] = [];
  const form = new Busboy({
    headers: { "content-type": request.headers.get("content-type") ?? "" },
    limits: { files: maxFiles, fields: maxFields, fieldSize: maxFieldBytes, fileSize: maxBytes },
  });
  let problem: Error | undefined;
  form.on("field", (name, value, _nameCut, valueCut) => {
    if (valueCut) problem ??= apiError("payload_too_large", { message: `The field ${name} is too long.` });
    fields[name] = value;
  });
  form.on("file", (field, stream, filename, _encoding, mediaType) => {
    const file: SpooledFile = { field, filename, mediaType, size: 0, path: join(folder, randomUUID()) };
    files.push(file);
    stream.on("data", (chunk: Buffer) => (file.size += chunk.length));
    stream.on("limit", () => {
      problem ??= apiError("payload_too_large", { message: `The file ${filename} is over ${maxBytes} bytes.` });
    });
    writes.push(pipeline(stream, createWriteStream(file.path)));
  });
  for (const limit of ["filesLimit", "fieldsLimit", "partsLimit"] as const) {
    form.on(limit, () => (problem ??= apiError("payload_too_large", { message: "The form has too many parts." })));
  }
  try {
    await pipeline(Readable.fromWeb((request.body ?? new Blob([]).stream()) as never), form);
    await Promise.all(writes);
  } catch (error) {
    await Promise.allSettled(writes);
    throw problem ?? apiError("validation_failed", { message: `The form cannot be read: ${(error as Error).message}.` });
  }
  if (problem) throw problem;
  return { fields, files };
}
