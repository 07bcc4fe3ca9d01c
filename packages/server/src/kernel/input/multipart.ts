import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Busboy } from "@fastify/busboy";
import type { Multipart } from "@promptreg/core";
import { ApiError, apiError, invalid } from "@promptreg/core/errors";
import { parse } from "@promptreg/core/wire";
import { closeSpool, openSpool, requireSpace } from "../store/spool.ts";
import type { LocalFile } from "../store/store.ts";

/** A file of a form, on the disk until the request ends. */
export interface SpooledFile extends LocalFile {
  field: string;
  filename: string;
  /** As the sender says. Do not trust it. */
  mediaType: string;
}

/** A form as it arrives. */
export interface Sent {
  contentType: string;
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

export interface MultipartBody<F> {
  fields: F;
  files: SpooledFile[];
}

const maxFields = 50;
const maxFieldBytes = 64 * 1024;

/** Reads a form and streams its files to the disk: uploads are never in memory. */
export async function readMultipart<F>(
  sent: Sent,
  { schema, ...limits }: Multipart<F>,
  spoolFolder: string,
): Promise<{ body: MultipartBody<F>; discard: () => Promise<void> }> {
  const folder = await openSpool(spoolFolder);
  const discard = () => closeSpool(folder);
  try {
    const { fields, files } = await spool(sent, { folder, ...limits });
    return { body: { fields: parse(schema, fields), files }, discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

async function spool(
  { contentType, pieces }: Sent,
  { folder, maxBytes, maxFiles }: Pick<Multipart<unknown>, "maxBytes" | "maxFiles"> & { folder: string },
): Promise<{ fields: Record<string, string>; files: SpooledFile[] }> {
  const form = openForm(contentType, { fileSize: maxBytes, files: maxFiles });
  const reading = follow(form, { folder, maxBytes });
  try {
    // What is between and behind the files could be without end, too.
    await pipeline(pieces, bounded(maxFiles * maxBytes + maxFields * maxFieldBytes), form);
    await Promise.all(reading.writes);
  } catch (error) {
    // If a form ends early, its last file never ends.
    for (const stream of reading.streams) stream.destroy();
    await Promise.allSettled(reading.writes);
    throw reading.problem ?? (error instanceof ApiError ? error : unreadable(error));
  }
  if (reading.problem) throw reading.problem;
  return reading;
}

type BusboyForm = InstanceType<typeof Busboy>;

/** What has been read of a form. */
interface Reading {
  fields: Record<string, string>;
  files: SpooledFile[];
  streams: Readable[];
  writes: Promise<void>[];
  /** The first problem. */
  problem?: Error;
}

/** Collects the fields of a form, and writes its files to the disk. */
function follow(form: BusboyForm, { folder, maxBytes }: { folder: string; maxBytes: number }): Reading {
  const reading: Reading = { fields: Object.create(null), files: [], streams: [], writes: [] };
  // The rest is not read: it may be without end.
  const tooLarge = (message: string) => {
    reading.problem ??= apiError("payload_too_large", { message });
    form.destroy();
  };
  form.on("field", (name, value, _nameCut, valueCut) => {
    if (valueCut) tooLarge(`The field ${name} is too long.`);
    reading.fields[name] = value;
  });
  form.on("file", (field, stream, filename, _encoding, mediaType) => {
    const path = join(folder, randomUUID());
    const file: SpooledFile = { field, filename, mediaType, size: 0, sha256: "", path };
    stream.on("limit", () => tooLarge(`The file ${filename} is over ${maxBytes} bytes.`));
    const write = pipeline(
      stream,
      measured(file, folder),
      createWriteStream(path, { highWaterMark: writtenBytes }),
    );
    // If the disk refuses the file, nobody reads the rest of the form. Without this the request would wait forever.
    write.catch((error: NodeJS.ErrnoException) => {
      if (error.syscall !== undefined || error instanceof ApiError) reading.problem ??= error;
      form.destroy(error);
    });
    reading.files.push(file);
    reading.streams.push(stream);
    reading.writes.push(write);
  });
  for (const limit of ["filesLimit", "fieldsLimit", "partsLimit"] as const)
    form.on(limit, () => tooLarge("The form has too many parts."));
  return reading;
}

/** What waits to be written: fewer and larger writes take less time. */
const writtenBytes = 1024 * 1024;
/** After so many bytes the disk is asked again whether it has room: many write at once. */
const askBytes = 1024 * 1024;

/** Passes on so many bytes, and fails at the next. */
function bounded(most: number): Transform {
  let left = most;
  return new Transform({
    highWaterMark: writtenBytes,
    transform(chunk: Buffer, _, done) {
      left -= chunk.length;
      if (left >= 0) done(null, chunk);
      else done(apiError("payload_too_large", { message: `The form is over ${most} bytes.` }));
    },
  });
}

/** Passes a file on, and writes down its size and its digest. A generator would take a third longer. */
function measured(file: SpooledFile, folder: string): Transform {
  const digest = createHash("sha256");
  let askAt = askBytes;
  return new Transform({
    highWaterMark: writtenBytes,
    transform(chunk: Buffer, _, done) {
      digest.update(chunk);
      file.size += chunk.length;
      if (file.size < askAt) return done(null, chunk);
      askAt += askBytes;
      requireSpace(folder).then(() => done(null, chunk), done);
    },
    flush(done) {
      file.sha256 = digest.digest("hex");
      done();
    },
  });
}

function openForm(contentType: string, limits: { fileSize: number; files: number }): BusboyForm {
  try {
    return new Busboy({
      headers: { "content-type": contentType },
      limits: { ...limits, fields: maxFields, parts: maxFields + limits.files, fieldSize: maxFieldBytes },
    });
  } catch (error) {
    throw unreadable(error);
  }
}

const unreadable = (error: unknown) => invalid("", `Cannot read the form: ${(error as Error).message}.`);
