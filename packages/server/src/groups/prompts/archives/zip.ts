import { promisify } from "node:util";
import { crc32, deflateRaw } from "node:zlib";
import { smallBytes } from "../../../kernel/http/holdings.ts";
import { ahead } from "./ahead.ts";
import { type Archive, pieces } from "./archive.ts";

const deflate = promisify<Uint8Array, { chunkSize: number }, Buffer>(deflateRaw);

/** Names are UTF-8. */
const utf8 = 0x0800;
/** Version 2.0, the first with folders and deflate. Made on Unix, so that modes are kept. */
const version = 20;
const madeOnUnix = (3 << 8) | version;

/**
 * A zip, one file after the other. Small enough for the format without its extensions: a version has at most 200 files and
 * 10 MiB. Its times have no zone: they are in UTC.
 */
export async function* zip({ files, time }: Archive): AsyncGenerator<Uint8Array> {
  const directory: Buffer[] = [];
  let offset = 0;
  for await (const { path, mode, content, packed } of ahead(packing(files))) {
    const deflated = await packed;
    const { length: size } = content;
    const isPacked = deflated.length < size;
    const stored = isPacked ? deflated : content;
    const name = Buffer.from(path);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(version, 0);
    common.writeUInt16LE(utf8, 2);
    common.writeUInt16LE(isPacked ? 8 : 0, 4);
    common.writeUInt32LE(dosTime(time), 6);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(stored.length, 14);
    common.writeUInt32LE(size, 18);
    common.writeUInt16LE(name.length, 22);
    const header = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), common, name]);
    directory.push(entry({ common, name, mode, offset }));
    offset += header.length + stored.length;
    yield header;
    yield* pieces(stored);
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(offset, 16);
  yield Buffer.concat([entries, end]);
}

/** Hands out a file while it is packed, so that the next one is packed at the same time. */
async function* packing(files: Archive["files"]) {
  for await (const file of files) {
    const packed = deflate(file.content, { chunkSize: smallBytes });
    // If the reader stops before, nobody needs it.
    packed.catch(() => {});
    yield { ...file, packed };
  }
}

/** The entry of a file in the directory at the end. */
function entry({
  common,
  name,
  mode,
  offset,
}: {
  common: Buffer;
  name: Buffer;
  mode: string;
  offset: number;
}): Buffer {
  const head = Buffer.from("PK\x01\x02\0\0", "latin1");
  head.writeUInt16LE(madeOnUnix, 4);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(Number.parseInt(mode, 8) * 0x10000, 6);
  rest.writeUInt32LE(offset, 10);
  return Buffer.concat([head, common, rest, name]);
}

/** Time and date as MS-DOS counts them: from 1980, in steps of two seconds. */
function dosTime(time: Date): number {
  const date = ((time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  const hours = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  return date * 0x10000 + hours;
}
