import { createReadStream } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { makeScratch } from "../../disk/scratch.ts";
import { InputError } from "../../errors.ts";
import { unreadable } from "../../terminal/read-input.ts";

/** A file of results that can be read from its beginning, as often as needed. */
export interface ResultFile {
  name: string;
  bytes(): AsyncIterable<Uint8Array>;
}

const chunkBytes = 256 * 1024;
const maxPipe = 2 * 1024 ** 3;

/**
 * Opens files for `work`, standard input for `-`. What can be read but once, such as a pipe, is kept on disk meanwhile, because
 * results are read several times: all of them are checked before the first is reported.
 */
export async function withFiles<T>(
  sources: readonly string[],
  stdin: AsyncIterable<Uint8Array>,
  work: (files: ResultFile[]) => Promise<T>,
): Promise<T> {
  const isPipe = await Promise.all(sources.map(canBeReadOnce));
  if (!isPipe.includes(true)) return work(sources.map((source) => fileAt(source, source)));
  const folder = await makeScratch();
  try {
    const files: ResultFile[] = [];
    for (const [index, source] of sources.entries()) {
      const given = source === "-" ? { name: "Standard input", bytes: () => stdin } : fileAt(source, source);
      files.push(isPipe[index] ? await keep(given, join(folder, String(index))) : given);
    }
    return await work(files);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Whether it is a pipe. What is not there is named by whoever reads it. */
const canBeReadOnce = async (source: string): Promise<boolean> =>
  source === "-" ||
  stat(source).then(
    (found) => found.isFIFO() || found.isSocket(),
    () => false,
  );

async function keep(given: ResultFile, path: string): Promise<ResultFile> {
  await using file = await open(path, "wx", 0o600);
  let size = 0;
  for await (const chunk of given.bytes()) {
    size += chunk.length;
    if (size > maxPipe) {
      throw new InputError(`${given.name} is larger than 2 GiB. Write it into a file, and name the file.`);
    }
    await file.writeFile(chunk);
  }
  return fileAt(path, given.name);
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
