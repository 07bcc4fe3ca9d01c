import { createReadStream } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InputError } from "../../errors.ts";
import { unreadable } from "../../terminal/read-input.ts";

/** A file of results that can be read from its beginning, as often as needed. */
export interface ResultFile {
  name: string;
  bytes(): AsyncIterable<Uint8Array>;
}

const chunkBytes = 256 * 1024;
const maxStandardInput = 2 * 1024 ** 3;

/**
 * Opens files for `work`, standard input for `-`. Standard input is kept on disk meanwhile, because results are read twice:
 * all of them are checked before the first is reported.
 */
export async function withFiles<T>(
  sources: readonly string[],
  stdin: AsyncIterable<Uint8Array>,
  work: (files: ResultFile[]) => Promise<T>,
): Promise<T> {
  if (!sources.includes("-")) return work(sources.map((source) => fileAt(source, source)));
  const folder = await mkdtemp(join(tmpdir(), "promptreg-results-"));
  try {
    const kept = join(folder, "stdin");
    await keep(stdin, kept);
    return await work(
      sources.map((source) => (source === "-" ? fileAt(kept, "Standard input") : fileAt(source, source))),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function keep(stdin: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  let size = 0;
  for await (const chunk of stdin) {
    size += chunk.length;
    if (size > maxStandardInput) {
      throw new InputError("Standard input is larger than 2 GiB. Write it into a file, and name the file.");
    }
    await file.writeFile(chunk);
  }
}

const fileAt = (path: string, name: string): ResultFile => ({
  name,
  async *bytes() {
    try {
      for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes })) {
        yield chunk as Uint8Array;
      }
    } catch (error) {
      throw unreadable(name, error);
    }
  },
});
