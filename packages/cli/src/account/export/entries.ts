import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { appendFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { tarEnd, tarHeader, tarPadding } from "@promptreg/core/archives";

/** A file on this disk, until the archive has it. */
export interface Spooled {
  place: string;
  size: number;
}

/** A file of the archive. */
export interface Entry {
  path: string;
  content: Uint8Array | Spooled;
  isExecutable?: boolean;
}
export type Entries = AsyncGenerator<Entry>;

const encoder = new TextEncoder();

export const jsonEntry = (path: string, value: unknown): Entry => ({
  path,
  content: encoder.encode(`${JSON.stringify(value, null, 2)}\n`),
});

export const textEntry = (path: string, text: string): Entry => ({ path, content: encoder.encode(text) });

/** Packs files as they come: no more than one of them is on this disk, and none in memory as a whole. */
export async function* tarGz(entries: AsyncIterable<Entry>): AsyncGenerator<Uint8Array> {
  const packed = createGzip();
  const done = pipeline(tar(entries), packed);
  // The loop below throws it too.
  done.catch(() => {});
  for await (const chunk of packed as AsyncIterable<Uint8Array>) yield chunk;
  await done;
}

async function* tar(entries: AsyncIterable<Entry>): AsyncGenerator<Uint8Array> {
  const seconds = Math.floor(Date.now() / 1_000);
  for await (const { path, content, isExecutable } of entries) {
    const size = "place" in content ? content.size : content.length;
    yield tarHeader({ path, mode: isExecutable ? 0o755 : 0o644, size, seconds });
    if ("place" in content) yield* createReadStream(content.place) as AsyncIterable<Uint8Array>;
    else if (size > 0) yield content;
    if (size % 512 !== 0) yield tarPadding(size);
  }
  yield tarEnd();
}

/** Keeps on this disk what comes in pieces: an entry begins with its size. */
export class Spool {
  #count = 0;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  #place(): string {
    this.#count += 1;
    return join(this.#folder, String(this.#count));
  }

  async keep(chunks: AsyncIterable<Uint8Array>): Promise<Spooled & { sha256: string }> {
    const place = this.#place();
    const digest = createHash("sha256");
    let size = 0;
    async function* counted() {
      for await (const chunk of chunks) {
        digest.update(chunk);
        size += chunk.length;
        yield chunk;
      }
    }
    await pipeline(counted, createWriteStream(place, { flags: "wx", mode: 0o600 }));
    return { place, size, sha256: digest.digest("hex") };
  }

  /** A file of JSON values, one a line, which grows. */
  async lines(): Promise<Lines> {
    const place = this.#place();
    await writeFile(place, "", { flag: "wx", mode: 0o600 });
    return new Lines(place);
  }
}

/** JSON values, one a line. */
export class Lines {
  count = 0;
  readonly #place: string;

  constructor(place: string) {
    this.#place = place;
  }

  async add(value: unknown): Promise<void> {
    this.count += 1;
    await appendFile(this.#place, `${JSON.stringify(value)}\n`);
  }

  async *entry(path: string): Entries {
    yield* spooledEntry(path, { place: this.#place, size: (await stat(this.#place)).size });
  }
}

/** A file of this disk, which goes when the archive has it. */
export async function* spooledEntry(path: string, { place, size }: Spooled): Entries {
  yield { path, content: { place, size } };
  await rm(place);
}
