import { open, rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { faultOf, InputError } from "../errors.ts";
import { beginRun, endRun } from "./runs.ts";

/**
 * Writes a file as a whole or not at all. `agree` may refuse to put it in its place.
 * @param mode who may read it.
 */
export async function writeWhole(
  file: string,
  chunks: AsyncIterable<string | Uint8Array>,
  agree: () => Promise<void>,
  mode?: number,
): Promise<void> {
  const refuse = (error: Error) => {
    throw new InputError(`${file} cannot be written: ${faultOf(error)}.`);
  };
  const run = await beginRun(dirname(file)).catch(refuse);
  const draft = join(run.draft, "new");
  try {
    const handle = await open(draft, "wx", mode).catch(refuse);
    try {
      for await (const chunk of chunks) await handle.writeFile(chunk).catch(refuse);
    } finally {
      await handle.close();
    }
    await agree();
    await rename(draft, file).catch(refuse);
  } finally {
    await endRun(run).catch(() => {});
  }
}

/** Whether a file is there already. @throws {InputError} if what is there is no file: it would be replaced by one. */
export async function isThere(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => null);
  if (found?.isDirectory()) throw new InputError(`${file} is a folder. Name a file in it.`);
  if (found && !found.isFile()) throw new InputError(`${file} is a device, and no file. Name another.`);
  return found !== null;
}
