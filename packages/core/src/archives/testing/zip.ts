import { crc32, deflateRawSync } from "node:zlib";

/** An entry of a zip for tests, which may lie about itself. */
export interface ZipEntry {
  name: string | Buffer;
  content?: string | Buffer;
  /** What it says of itself. */
  size?: number;
  crc?: number;
  flags?: number;
  method?: number;
  mode?: number;
  /** The system that it was made on: 3 is Unix, 0 is DOS. */
  madeOn?: number;
  /** Another entry whose header and content it shares. */
  sharedWith?: number;
  /** Begins so many bytes after that. */
  shiftedBy?: number;
}

/** Writes a zip byte by byte. */
export function zipOf(entries: readonly ZipEntry[], { comment = "", count = entries.length } = {}): Buffer {
  const pieces: Buffer[] = [];
  const directory: Buffer[] = [];
  const offsets: number[] = [];
  let offset = 0;
  for (const entry of entries) {
    const {
      content = "",
      flags = 0,
      method = content === "" ? 0 : 8,
      mode = 0o100644,
      madeOn = 3,
      sharedWith,
      shiftedBy = 0,
    } = entry;
    const name = Buffer.from(entry.name as string);
    const bytes = Buffer.from(content as string);
    const packed = method === 8 ? deflateRawSync(bytes) : bytes;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(entry.crc ?? crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(entry.size ?? bytes.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), common, name, packed]);
    const at = sharedWith === undefined ? offset : (offsets[sharedWith] ?? 0) + shiftedBy;
    offsets.push(at);
    const central = Buffer.alloc(20);
    central.writeUInt32LE((mode << 16) >>> 0, 10);
    central.writeUInt32LE(at, 14);
    directory.push(
      Buffer.from(`PK\x01\x02\x14${String.fromCharCode(madeOn)}`, "latin1"),
      common,
      central.subarray(4, 18),
      name,
    );
    if (sharedWith === undefined) {
      pieces.push(local);
      offset += local.length;
    }
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(Math.min(count, 0xffff), 8);
  end.writeUInt16LE(Math.min(count, 0xffff), 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...pieces, index, end, Buffer.from(comment)]);
}
