import { ArchiveError } from "./archive.ts";
import { Bytes } from "./bytes.ts";

/** An entry of a tar. Its content begins at `start` of the unpacked bytes. */
export interface TarEntry {
  name: string;
  kind: "file" | "folder" | "link or device" | "sparse" | "unknown";
  size: number;
  mode: number;
  start: number;
  /** Its bytes, until the next entry is asked for. What is not read is skipped. */
  content: AsyncIterable<Uint8Array>;
  /** What git says of the whole archive. */
  comment: string | null;
}

const blockBytes = 512;
/** Of what follows the end, and of headers that no entry needs. */
const maxOverheadBytes = 32 * 1024 ** 2;
/** Of the headers of an entry, which may have a long name. */
const entryOverheadBytes = 2048;
const maxExtensionBytes = 1024 ** 2;

/** What headers before an entry say of it. */
interface Extension {
  path?: string;
  size?: number;
  comment?: string;
  isSparse?: true;
}

/**
 * Reads the entries of a tar, with the extensions of pax and GNU. Content is skipped, which takes `size` bytes: whoever has a limit for
 * them checks it before the next entry.
 * @throws {ArchiveError} if it is damaged, or has more headers than an archive needs.
 */
export async function* tarEntries(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const bytes = new Bytes(chunks);
  try {
    yield* readEntries(bytes);
  } finally {
    await bytes.close();
  }
}

async function* readEntries(bytes: Bytes): AsyncGenerator<TarEntry> {
  const global: Extension = {};
  let extension: Extension = {};
  /** As far as it may be read before the next entry. */
  let allowed = maxOverheadBytes;
  while (!(await bytes.isAtEnd())) {
    if (bytes.position > allowed) throw tooMuch();
    const block = await bytes.take(blockBytes);
    if (block.every((byte) => byte === 0)) break;
    checkSum(block);
    const type = String.fromCharCode(block[156]!);
    const size = numberAt(block, 124, 12);
    if (/[gxXLK]/.test(type)) {
      if (size > maxExtensionBytes) throw new ArchiveError("It has a header of over 1 MiB.");
      const body = (await bytes.take(padded(size))).subarray(0, size);
      if (type === "L") extension.path = stringAt(body, 0, size);
      else if (type !== "K") readPax(body, type === "g" ? global : extension);
      continue;
    }
    if (type === "S") await skipSparseMap(bytes, block);
    const entry = entryOf(block, type, { size, ...global, ...extension });
    extension = {};
    const start = bytes.position;
    yield { ...entry, start, content: bytes.until(start + entry.size) };
    await bytes.skip(start + padded(entry.size) - bytes.position);
    allowed += padded(entry.size) + entryOverheadBytes;
  }
  if (bytes.position === 0) throw new ArchiveError("It is no tar.gz that can be read: it is empty.");
  // The checksum of the gzip is at its end.
  if ((await bytes.skipAll(maxOverheadBytes)) > maxOverheadBytes) throw tooMuch();
}

const tooMuch = () => new ArchiveError("It has far more around its files than an archive needs.");

function entryOf(
  block: Uint8Array,
  type: string,
  { path, size, comment = "", isSparse }: Extension & { size: number },
): Omit<TarEntry, "start" | "content"> {
  const prefix = stringAt(block, 257, 6) === "ustar" ? stringAt(block, 345, 155) : "";
  const ownName = stringAt(block, 0, 100);
  const name = path ?? (prefix === "" ? ownName : `${prefix}/${ownName}`);
  const kind = isSparse ? "sparse" : kindOf(type, name);
  return {
    name,
    kind,
    // What has no content may give the size of what it leads to.
    size: /[1-6]/.test(type) ? 0 : size,
    mode: numberAt(block, 100, 8),
    comment: comment === "" ? null : comment,
  };
}

/** Old ones have no letter, and some systems tell files that lie in one piece. */
const files = ["\0", "0", "7"];

function kindOf(type: string, name: string): TarEntry["kind"] {
  if (type === "5" || (files.includes(type) && name.endsWith("/"))) return "folder";
  if (files.includes(type)) return "file";
  if (/[12346]/.test(type)) return "link or device";
  return type === "S" ? "sparse" : "unknown";
}

/** GNU's map of a sparse file goes on behind its header, and is not in its size. */
async function skipSparseMap(bytes: Bytes, header: Uint8Array): Promise<void> {
  for (let hasMore = header[482] === 1; hasMore; ) hasMore = (await bytes.take(blockBytes))[504] === 1;
}

/** Records of `<length> <key>=<value>\n`; a value may hold anything. */
function readPax(body: Uint8Array, into: Extension): void {
  for (let at = 0; at < body.length && body[at] !== 0; ) {
    const space = body.indexOf(0x20, at);
    const length = space < 0 ? 0 : Number(stringAt(body, at, Math.min(space - at, 8)));
    const end = at + length;
    if (end <= space + 1 || end > body.length || body[end - 1] !== 0x0a)
      throw new ArchiveError("It is damaged: an extended header cannot be read.");
    const equals = body.subarray(0, end).indexOf(0x3d, space);
    const key = decoder.decode(body.subarray(space + 1, equals));
    const value = body.subarray(equals + 1, end - 1);
    if (key === "path" || key === "GNU.sparse.name") into.path = decoder.decode(value);
    else if (key === "size") into.size = sizeIn(decoder.decode(value));
    else if (key === "comment") into.comment = decoder.decode(value.subarray(0, 100));
    if (key.startsWith("GNU.sparse.")) into.isSparse = true;
    at = end;
  }
}

function sizeIn(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new ArchiveError("It is damaged: the size of an entry is no number.");
  return Number(text);
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Up to the first zero. */
function stringAt(block: Uint8Array, start: number, length: number): string {
  const field = block.subarray(start, start + length);
  const end = field.indexOf(0);
  return decoder.decode(end < 0 ? field : field.subarray(0, end));
}

/** Octal; or binary, if its first bit says so. */
function numberAt(block: Uint8Array, start: number, length: number): number {
  const [first = 0, ...rest] = block.subarray(start, start + length);
  const value =
    first & 0x80
      ? rest.reduce((sum, byte) => sum * 256 + byte, first & 0x7f)
      : Number(`0o${stringAt(block, start, length).trim() || "0"}`);
  if (!Number.isSafeInteger(value)) throw new ArchiveError("It is damaged: a header has no number.");
  return value;
}

function checkSum(block: Uint8Array): void {
  // The field itself counts as spaces.
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  if (sum !== Number(`0o${stringAt(block, 148, 8).trim()}`))
    throw new ArchiveError("It is no tar.gz that can be read: the checksum of a header is another one.");
}

const padded = (size: number) => Math.ceil(size / blockBytes) * blockBytes;
