import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { faultOf, InputError } from "../errors.ts";
import { isGone, nameOfHolder } from "./runs.ts";

/** Held for the time of one small write: far longer than that, and whoever held it is dead. */
const waitMs = 3_000;
/** So long nobody holds it, on a slow disk neither. */
const longestMs = 60_000;

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
        throw new InputError(`${held} cannot be written: ${faultOf(error)}.`);
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
  const held = lockOf(file);
  const left = await read(held);
  if (left === undefined || !(await isLeft(left, held))) return false;
  // Others may be at it too. Of them one moves the lock away; whoever moved the next one brings it back.
  const aside = `${held}.${randomUUID()}`;
  try {
    await rename(held, aside);
    const moved = await read(aside);
    const isOther = moved?.holder !== left.holder || moved.madeMs !== left.madeMs;
    if (isOther) await link(aside, held).catch(() => {});
    return !isOther;
  } catch {
    return false;
  } finally {
    await rm(aside, { force: true });
  }
}

interface Lock {
  holder: string;
  madeMs: number;
}

/** Undefined where it was given back meanwhile. */
async function read(held: string): Promise<Lock | undefined> {
  try {
    const [holder, { mtimeMs: madeMs }] = await Promise.all([readFile(held, "utf8"), stat(held)]);
    return { holder, madeMs };
  } catch {
    return undefined;
  }
}

/**
 * Whether the process that holds a lock is gone. Its number may be another's by now, in a container at once; and
 * whoever died between making the file and writing into it left no number. Then time tells.
 */
async function isLeft({ holder, madeMs }: Lock, held: string): Promise<boolean> {
  const ageMs = Date.now() - madeMs;
  if (holder === nameOfHolder() || !/^\d+-[0-9a-f]{8}$/.test(holder)) return ageMs > waitMs;
  return ageMs > longestMs || (await isGone(holder.split("-"), held).catch(() => false));
}
