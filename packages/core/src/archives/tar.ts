import { createReadStream } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { createTarDecoder, type ParsedTarEntry } from "modern-tar";
import { type Archive, ArchiveError, type ArchiveOptions } from "./archive.ts";
import { Entries } from "./entries.ts";

/** Headers and padding, beside the content. */
const overheadBytes = 64 * 1024 ** 2;

/** Opens a tar.gz. Its content cannot be read in any order, so it is unpacked into one file, one entry after the other. */
export async function openTarGz(
  file: string,
  { scratch, signal, stripRoot = false }: ArchiveOptions,
): Promise<Archive> {
  const { size } = await stat(file);
  const content = await open(join(scratch, "content"), "wx+", 0o600);
  try {
    const entries = new Entries<number>(size);
    const commit = await unpack(file, { content, entries, signal });
    const { files, where } = entries.finish(stripRoot);
    const at = (path: string) => {
      const found = where.get(path);
      if (found === undefined) throw new TypeError(`The archive has no ${path}.`);
      return found;
    };
    return {
      files,
      refused: entries.refused,
      commit,
      async read(path) {
        const { where: start, size: length } = at(path);
        return readAt(content, start, length);
      },
      async *stream(path) {
        const { where: start, size: length } = at(path);
        for (let from = 0; from < length; from += chunkBytes)
          yield await readAt(content, start + from, Math.min(chunkBytes, length - from));
      },
      close: () => content.close(),
    };
  } catch (error) {
    await content.close();
    throw error;
  }
}

const chunkBytes = 256 * 1024;

async function readAt(content: FileHandle, position: number, length: number): Promise<Uint8Array> {
  const { buffer, bytesRead } = await content.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead < length) throw new Error("The disk has less than was written.");
  return buffer;
}

interface Unpacking {
  content: FileHandle;
  entries: Entries<number>;
  signal: AbortSignal | undefined;
}

async function unpack(file: string, { content, entries, signal }: Unpacking): Promise<string | null> {
  let position = 0;
  let commit: string | null = null;
  try {
    const bytes = Readable.toWeb(
      Readable.from(unzipped(file, entries, signal)),
    ) as ReadableStream<Uint8Array>;
    for await (const { header, body } of bytes.pipeThrough(createTarDecoder({ strict: true }))) {
      entries.count();
      const { name, type = "file", size, mode = 0, pax = {} } = header;
      commit ??= commitIn(pax);
      const path = type === "file" ? entries.pathOf(name) : null;
      if (type !== "file" && type !== "directory") entries.refuse(name, "It is a link or a device.");
      if (path === null) {
        await body.cancel();
        continue;
      }
      entries.unpack(size);
      await write(content, body, position);
      entries.add({ path, size, mode: (mode & 0o111) === 0 ? "100644" : "100755", where: position });
      position += size;
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof ArchiveError || (error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    throw new ArchiveError(`It is no tar.gz that can be read: ${(error as Error).message}.`);
  }
  return commit;
}

/** What is in the gzip, as long as it is not more than archives may hold. */
async function* unzipped(
  file: string,
  entries: Entries<number>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  // An archive that is cut off ends with an error, which comes out of the last stream.
  const stream = pipeline(createReadStream(file), createGunzip({ chunkSize: 256 * 1024 }), () => {});
  let room = overheadBytes + entries.maxBytes;
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    signal?.throwIfAborted();
    room -= chunk.length;
    if (room < 0) entries.unpack(Number.POSITIVE_INFINITY);
    yield chunk;
  }
}

async function write(content: FileHandle, body: ParsedTarEntry["body"], from: number): Promise<void> {
  let position = from;
  for await (const chunk of body) {
    await content.write(chunk, 0, chunk.length, position);
    position += chunk.length;
  }
}

/** Git writes it into a global header. */
const commitIn = (pax: Record<string, string>): string | null =>
  /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.exec(pax["comment"] ?? "")?.[0] ?? null;
