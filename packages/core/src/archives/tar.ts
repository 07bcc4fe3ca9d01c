import { createReadStream } from "node:fs";
import { type FileHandle, open, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { type Archive, ArchiveError, type ArchiveOptions } from "./archive.ts";
import { Entries } from "./entries.ts";
import { type TarEntry, tarEntries } from "./tar-entries.ts";

/** Opens a tar.gz. Its content cannot be read in any order, so the tar is unpacked into one file, and read there. */
export async function openTarGz(
  file: string,
  { scratch, signal, stripRoot = false }: ArchiveOptions,
): Promise<Archive> {
  const { size } = await stat(file);
  const content = await open(join(scratch, "content"), "wx+", 0o600);
  try {
    const entries = new Entries<number>(size);
    const commit = await readEntries(unpacked(file, content, signal), entries);
    const { at, ...found } = entries.finish(stripRoot);
    return {
      ...found,
      commit,
      async read(path) {
        const { where, size: length } = at(path);
        return readAt(content, where, length);
      },
      async *stream(path) {
        const { where, size: length } = at(path);
        for (let from = 0; from < length; from += chunkBytes) {
          signal?.throwIfAborted();
          yield await readAt(content, where + from, Math.min(chunkBytes, length - from));
        }
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

/** Writes the tar to `content`, a chunk at a time, as far as it is asked for. */
async function* unpacked(
  file: string,
  content: FileHandle,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  // An archive that is cut off ends with an error, which comes out of the last stream.
  const stream = pipeline(createReadStream(file), createGunzip({ chunkSize: chunkBytes }), () => {});
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      signal?.throwIfAborted();
      await content.writeFile(chunk);
      yield chunk;
    }
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code?.startsWith("Z_")) throw error;
    throw new ArchiveError(`It is no tar.gz that can be read: ${(error as Error).message}.`);
  }
}

/** Reads all entries; returns the commit that git made the archive of. */
async function readEntries(
  chunks: AsyncIterable<Uint8Array>,
  entries: Entries<number>,
): Promise<string | null> {
  let commit: string | null = null;
  for await (const { name, kind, size, mode, start, comment } of tarEntries(chunks)) {
    entries.count();
    entries.unpack(size);
    commit ??= /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.exec(comment ?? "")?.[0] ?? null;
    if (kind === "folder") continue;
    if (kind !== "file") entries.refuse(name, reasons[kind]);
    else entries.add(name, { size, mode: (mode & 0o111) === 0 ? "100644" : "100755", where: start });
  }
  return commit;
}

const reasons: Record<Exclude<TarEntry["kind"], "file" | "folder">, string> = {
  "link or device": "It is a link or a device.",
  sparse: "It is a sparse file: its holes are left out of it.",
  unknown: "It is of a kind that is not known here.",
};
