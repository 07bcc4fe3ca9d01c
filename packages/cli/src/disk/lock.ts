import { open, rm } from "node:fs/promises";
import { InputError } from "../errors.ts";

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
  const held = `${file}.lock`;
  for (const until = Date.now() + waitMs; ; await new Promise((resolve) => setTimeout(resolve, 10))) {
    try {
      await (await open(held, "wx", 0o600)).close();
      return () => rm(held, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST")
        throw new InputError(`${held} cannot be written: ${(error as Error).message}.`);
      if (Date.now() > until)
        throw new InputError(
          `Another command is writing the ${content}. If no other command runs, delete ${held}.`,
        );
    }
  }
}
