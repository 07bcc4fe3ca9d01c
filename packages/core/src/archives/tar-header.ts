/** What the header of a file in a tar says. */
export interface TarFile {
  path: string;
  /** Its permissions. */
  mode: number;
  /** In bytes, below 8 GiB. */
  size: number;
  /** When it was changed, in seconds. */
  seconds: number;
}

const block = 512;

/** The header of a file. The format of 1988 has 100 bytes for a name; that of POSIX 2001 puts other names before it. */
export function tarHeader({ path, ...about }: TarFile): Uint8Array {
  const name = Buffer.from(path);
  if (name.length <= 100 && /^[\0-\x7f]*$/.test(path)) return ustar({ ...about, type: "0", name });
  const record = paxRecord("path", path);
  const first = ustar({
    ...about,
    name: Buffer.from("PaxHeader"),
    mode: 0o644,
    size: record.length,
    type: "x",
  });
  const short = Buffer.from(path.replace(/[^\x20-\x7e]/g, "_")).subarray(-100);
  const header = ustar({ ...about, type: "0", name: short });
  return Buffer.concat([first, record, tarPadding(record.length), header]);
}

/** What follows the content of a file of this length. */
export const tarPadding = (length: number): Uint8Array => Buffer.alloc((block - (length % block)) % block);

/** What follows the last file. */
export const tarEnd = (): Uint8Array => Buffer.alloc(2 * block);

/** A line that begins with its own length. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest;
  while (length !== rest + String(length).length) length = rest + String(length).length;
  return Buffer.from(`${length} ${key}=${value}\n`);
}

interface Header extends Omit<TarFile, "path"> {
  name: Buffer;
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
