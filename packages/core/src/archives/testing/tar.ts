/** An entry of a tar for tests, which may lie about itself. */
export interface TarEntry {
  name: string;
  content?: string | Buffer;
  /** As in the header: `0` a file, `2` a link, `x` an extended header. */
  type?: string;
  /** What it says of itself. */
  size?: string | Buffer;
  mode?: string;
  /** The folder, beside the name. */
  prefix?: string;
  /** Whether GNU's map of a sparse file goes on behind the header. */
  hasMoreMap?: boolean;
}

/** Writes entries of a tar byte by byte, without an end. */
export const tarOf = (...entries: TarEntry[]): Buffer =>
  Buffer.concat(
    entries.flatMap(
      ({ name, content = "", type = "0", size, mode = "0000644", prefix = "", hasMoreMap = false }) => {
        const body = Buffer.from(content as string);
        const header = Buffer.alloc(512);
        header.write(name, 0);
        header.write(mode, 100);
        Buffer.from((size ?? body.length.toString(8).padStart(11, "0")) as string).copy(header, 124);
        header.write(type, 156);
        header.write(["ustar", "00"].join("\0"), 257);
        header.write(prefix, 345);
        if (hasMoreMap) header[482] = 1;
        header.fill(" ", 148, 156);
        const sum = header.reduce((total, byte) => total + byte, 0);
        header.write(`${sum.toString(8).padStart(6, "0")}\0`, 148);
        return [header, body, Buffer.alloc(-body.length & 511)];
      },
    ),
  );

/** An extended header: what it says goes for the next entry, or as `g` for all that follow. */
export const pax = (values: Record<string, string>, type: "x" | "g" = "x"): TarEntry => ({
  name: "pax",
  type,
  content: Object.entries(values)
    .map(([key, value]) => {
      const record = ` ${key}=${value}\n`;
      const length = Buffer.byteLength(record);
      const digits = String(length + String(length).length).length;
      return `${length + digits}${record}`;
    })
    .join(""),
});

/** Two blocks of zeros. */
export const tarEnd = Buffer.alloc(1024);
