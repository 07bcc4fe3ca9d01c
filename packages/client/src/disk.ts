/// <reference types="node" />
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { PromptDisk } from "./prompts/disk.ts";

export type { PromptDisk } from "./prompts/disk.ts";

/** A cache entry that nobody wrote for so long is deleted. */
const maxAgeMs = 30 * 24 * 60 * 60 * 1000;

/**
 * Stores prompts in files, for later and other processes of the same user, in Node, Deno and Bun. The name of a file is a
 * digest of the registry's origin, the token and the prompt, so no account reads the entries of another. A file is replaced
 * as a whole. Only its owner can read it.
 * @param folder Default: `promptreg` in XDG_CACHE_HOME, or in `~/.cache`.
 */
export function promptDisk(
  folder = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "promptreg"),
): PromptDisk {
  let made: Promise<unknown> | undefined;
  const pathOf = (address: string) =>
    join(folder, `${createHash("sha256").update(address).digest("hex")}.json`);
  return {
    read: (address) => readFile(pathOf(address), "utf8").catch(() => undefined),
    async write(address, text) {
      made ??= makeFolder(folder).catch((error: unknown) => {
        // A full disk may have room later.
        made = undefined;
        throw error;
      });
      await made;
      const path = pathOf(address);
      const temporary = `${path}.${randomUUID()}`;
      try {
        await writeFile(temporary, text, { mode: 0o600, flag: "wx" });
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
    remove: (address) => rm(pathOf(address), { force: true }),
  };
}

const makeFolder = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeOld(folder).catch(() => {});
};

/** The names of cache entries and their temporary files. The folder may contain other files too. */
const ourNames = /^[0-9a-f]{64}\.json/;

/** Runs once in a process. Another process may delete the same files meanwhile. */
async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!ourNames.test(name)) continue;
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > maxAgeMs) await rm(path, { force: true });
  }
}
