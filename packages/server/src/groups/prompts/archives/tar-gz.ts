import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { smallBytes } from "../../../kernel/http/holdings.ts";
import { type Archive, type ArchiveFile, pieces } from "./archive.ts";

const block = 512;
/** Where the header of gzip names the system that made it. */
const systemAt = 9;
const unknownSystem = 255;

/** A tar that gzip has packed. */
export async function* tarGz(archive: Archive): AsyncGenerator<Uint8Array> {
  const packed = createGzip({ chunkSize: smallBytes });
  const done = pipeline(tar(archive), packed);
  // The loop below throws it too.
  done.catch(() => {});
  let isFirst = true;
  for await (const chunk of packed as AsyncIterable<Buffer>) {
    if (isFirst) chunk[systemAt] = unknownSystem;
    isFirst = false;
    yield chunk;
  }
  await done;
}

/** The files one after the other, then two empty blocks. */
async function* tar({ files, time }: Archive): AsyncGenerator<Uint8Array> {
  const seconds = Math.floor(time.getTime() / 1_000);
  for await (const file of files) {
    // Together, since each piece goes to another thread and back.
    yield* pieces(Buffer.concat([headerOf(file, seconds), file.content, padding(file.content.length)]));
  }
  yield Buffer.alloc(2 * block);
}

const padding = (length: number): Buffer => Buffer.alloc((block - (length % block)) % block);

/** The header of a file. The format of 1988 has 100 bytes for a name; that of POSIX 2001 puts other names before it. */
function headerOf({ path, mode, content }: ArchiveFile, seconds: number): Buffer {
  const about = { seconds, mode: Number.parseInt(mode, 8) & 0o777, size: content.length, type: "0" };
  const name = Buffer.from(path);
  if (name.length <= 100 && /^[\0-\x7f]*$/.test(path)) return ustar({ ...about, name });
  const record = paxRecord("path", path);
  const first = ustar({
    ...about,
    name: Buffer.from("PaxHeader"),
    mode: 0o644,
    size: record.length,
    type: "x",
  });
  const short = Buffer.from(path.replace(/[^\x20-\x7e]/g, "_")).subarray(-100);
  return Buffer.concat([first, record, padding(record.length), ustar({ ...about, name: short })]);
}

/** A line that begins with its own length. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest;
  while (length !== rest + String(length).length) length = rest + String(length).length;
  return Buffer.from(`${length} ${key}=${value}\n`);
}

interface Header {
  name: Buffer;
  mode: number;
  size: number;
  seconds: number;
  type: string;
}

function ustar({ name, mode, size, seconds, type }: Header): Buffer {
  const header = Buffer.alloc(block);
  const octal = (value: number, at: number, digits: number) =>
    header.write(value.toString(8).padStart(digits, "0"), at, "latin1");
  header.set(name);
  octal(mode, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(seconds, 136, 11);
  header.write("        ", 148, "latin1");
  header.write(type, 156, "latin1");
  header.write("ustar\x0000", 257, "latin1");
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  header[154] = 0;
  return header;
}
