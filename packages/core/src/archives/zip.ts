import { stat } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { crc32 } from "node:zlib";
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from "yauzl";
import { ImportError } from "../imports/detector.ts";
import { type Archive, ArchiveError, type ArchiveOptions } from "./archive.ts";
import { Entries } from "./entries.ts";

/** Opens a zip. Nothing of it is unpacked before it is read. */
export async function openZip(file: string, { signal, stripRoot = false }: ArchiveOptions): Promise<Archive> {
  const { size } = await stat(file);
  const zip = await openPromise(file, { lazyEntries: true, autoClose: false, decodeStrings: false }).catch(
    (error: Error) => {
      throw new ArchiveError(`It is no zip that can be read: ${firstSentence(error)}.`);
    },
  );
  try {
    const entries = new Entries<Entry>(size);
    entries.count(zip.entryCount);
    await readEntries(zip, entries, signal);
    const { at, ...found } = entries.finish(stripRoot);
    const stream = (path: string) => contentOf(zip, at(path).where, signal);
    return {
      ...found,
      commit: commitOf(zip),
      stream,
      read: (path) => buffer(stream(path)),
      close: async () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw error;
  }
}

async function readEntries(zip: ZipFile, entries: Entries<Entry>, signal?: AbortSignal): Promise<void> {
  const ranges: [start: number, end: number][] = [];
  try {
    for await (const entry of zip.eachEntry()) {
      signal?.throwIfAborted();
      const name = nameOf(entry);
      if (name.endsWith("/")) continue;
      const reason = problemOf(entry);
      if (reason !== undefined) {
        entries.refuse(name, reason);
        continue;
      }
      entries.unpack(entry.uncompressedSize);
      const start = entry.relativeOffsetOfLocalHeader;
      ranges.push([start, start + entry.compressedSize]);
      entries.add(name, { size: entry.uncompressedSize, mode: modeOf(entry), where: withoutNotes(entry) });
    }
  } catch (error) {
    if (signal?.aborted || error instanceof ArchiveError) throw error;
    throw new ArchiveError(`It is damaged: ${firstSentence(error as Error)}.`);
  }
  // A bomb whose entries share their content holds far more than its size says.
  ranges.sort(([a], [b]) => a - b);
  if (ranges.some(([start], index) => start < (ranges[index - 1]?.[1] ?? 0)))
    throw new ArchiveError("Its entries overlap.");
}

const utf8Flag = 0x800;
const decoder = new TextDecoder("utf-8", { fatal: true });

/** An entry stays in memory, and may have 192 KiB of names, fields and comments. */
const withoutNotes = (entry: Entry): Entry =>
  Object.assign(entry, {
    fileName: "",
    fileNameRaw: none,
    extraFields: [],
    extraFieldRaw: none,
    comment: "",
    fileComment: "",
    fileCommentRaw: none,
  });
const none = Buffer.alloc(0);

/**
 * Many write UTF-8 and do not say so. What is none is in the encoding of the first zips. Old programs of Windows write backslashes; in
 * other encodings the byte is half of a character.
 */
function nameOf({ generalPurposeBitFlag: flags, fileNameRaw, extraFields }: Entry): string {
  let isUtf8 = true;
  try {
    decoder.decode(fileNameRaw);
  } catch {
    isUtf8 = false;
  }
  return getFileNameLowLevel(
    isUtf8 ? flags | utf8Flag : flags & ~utf8Flag,
    fileNameRaw,
    extraFields,
    !isUtf8,
  );
}

/** Of an entry that was made on Unix; else 0. */
const unixMode = ({ versionMadeBy, externalFileAttributes }: Entry): number =>
  versionMadeBy >> 8 === 3 ? externalFileAttributes >>> 16 : 0;

function problemOf(entry: Entry): string | undefined {
  if (entry.isEncrypted()) return "It is encrypted.";
  if (!entry.canDecodeFileData())
    return `It is packed by method ${entry.compressionMethod}, which is not known here.`;
  const type = unixMode(entry) & 0o170000;
  return type === 0 || type === 0o100000 ? undefined : "It is a link or a device.";
}

const modeOf = (entry: Entry) => ((unixMode(entry) & 0o111) === 0 ? "100644" : "100755");

/** The content of an entry, no longer than it says, and checked at its end. */
async function* contentOf(
  zip: ZipFile,
  entry: Entry,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  let checksum = 0;
  try {
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      signal?.throwIfAborted();
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw new ImportError(`It cannot be unpacked: ${firstSentence(error as Error)}.`);
  }
  if (checksum !== entry.crc32) throw new ImportError("It is damaged: its checksum is another one.");
}

const firstSentence = ({ message }: Error) => message.split(/[.?](?: |$)/)[0];

/** Git writes it into the comment, which is bytes here, as names are. */
const commitOf = ({ comment }: ZipFile): string | null =>
  /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.exec(Buffer.from(comment).toString())?.[0] ?? null;
