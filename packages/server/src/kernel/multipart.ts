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
import { parse } from "@promptreg/core/wire";

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
): Promise<{ body: MultipartBody<F>; discard: () => Promise<void> }> {
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
  const streams: Readable[] = [];
  const writes: Promise<void>[] = [];
  const form = openForm(request.headers.get("content-type") ?? "", maxBytes);
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
      problem ??= apiError("payload_too_large", {
        message: `The file ${filename} is over ${maxBytes} bytes.`,
      });
    });
    const write = pipeline(stream, createWriteStream(file.path));
    // Nobody reads the rest of a form whose file the disk refused: without this it would wait for ever.
    write.catch((error: NodeJS.ErrnoException) => {
      if (error.syscall !== undefined) problem ??= error;
      form.destroy(error);
    });
    streams.push(stream);
    writes.push(write);
  });
  for (const limit of ["filesLimit", "fieldsLimit", "partsLimit"] as const) {
    form.on(
      limit,
      () => (problem ??= apiError("payload_too_large", { message: "The form has too many parts." })),
    );
  }
  try {
    await pipeline(Readable.fromWeb((request.body ?? new Blob([]).stream()) as never), form);
    await Promise.all(writes);
  } catch (error) {
    // A form that broke off never ends the file it was in.
    for (const stream of streams) stream.destroy();
    await Promise.allSettled(writes);
    throw (
      problem ??
      apiError("validation_failed", { message: `The form cannot be read: ${(error as Error).message}.` })
    );
  }
  if (problem) throw problem;
  return { fields, files };
}

function openForm(contentType: string, fileSize: number) {
  try {
    return new Busboy({
      headers: { "content-type": contentType },
      limits: { files: maxFiles, fields: maxFields, fieldSize: maxFieldBytes, fileSize },
    });
  } catch (error) {
    throw apiError("validation_failed", { message: `The form cannot be read: ${(error as Error).message}.` });
  }
}
