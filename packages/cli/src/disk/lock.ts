import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { InputError } from "../errors.ts";
import { isGone, nameOfHolder } from "./runs.ts";

/** Held for the time of one small write: far longer than that, and whoever held it is dead. */
const waitMs = 3_000;

/**
 * Does something to a file while no other command does: of several, each works on what the one before it wrote.
 * @param content names what the file holds, for the sentence that says it is locked.
 */
export async function withLock<T>(file: string, content: string, work: () => Promise<T>): Promise<T> {
  const unlock = await lock(file, content);
  try {
    return await work();
  } finally {
    await unlock();
  }
}

async function lock(file: string, content: string): Promise<() => Promise<void>> {
  const held = lockOf(file);
  for (const until = Date.now() + waitMs; ; await new Promise((resolve) => setTimeout(resolve, 10))) {
    try {
      await writeFile(held, nameOfHolder(), { flag: "wx", mode: 0o600 });
      return () => rm(held, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST")
        throw new InputError(`${held} cannot be written: ${(error as Error).message}.`);
      if (!(await clearLock(file)) && Date.now() > until)
        throw new InputError(
          `Another command is writing the ${content}. If no other command runs, delete ${held}.`,
        );
    }
  }
}

const lockOf = (file: string) => `${file}.lock`;

/** Removes the lock of a file if its process is gone, and says whether it did. */
export async function clearLock(file: string): Promise<boolean> {
  const isCleared = await isLeft(lockOf(file));
  if (isCleared) await rm(lockOf(file), { force: true });
  return isCleared;
}

/** Whether the process that holds a lock is gone. In a container the next one may have its number: then time tells. */
async function isLeft(held: string): Promise<boolean> {
  try {
    const holder = await readFile(held, "utf8");
    if (!/^\d+-[0-9a-f]{8}$/.test(holder)) return false;
    if (holder === nameOfHolder()) return Date.now() - (await stat(held)).mtimeMs > waitMs;
    return await isGone(holder.split("-"), held);
  } catch {
    // It was given back meanwhile.
    return false;
  }
}
