/// <reference types="node" />
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { PromptDisk } from "./prompts/disk.ts";

export type { PromptDisk } from "./prompts/disk.ts";

/** A copy that nobody wrote for so long is removed. */
const keptMs = 30 * 24 * 60 * 60 * 1000;

/**
 * Keeps prompts in files, for the next process and for others of the same user, in Node, Deno and Bun. A file is named
 * by a digest of the registry's origin, the token and the prompt, so that no account sees what another one was given;
 * it is replaced as a whole, and readable to its owner alone.
 * @param folder `promptreg` in XDG_CACHE_HOME, or in `~/.cache`, when absent.
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
        // A disk that is full may have room again.
        made = undefined;
        throw error;
      });
      await made;
      const path = pathOf(address);
      const draft = `${path}.${randomUUID()}`;
      try {
        await writeFile(draft, text, { mode: 0o600, flag: "wx" });
        await rename(draft, path);
      } catch (error) {
        await rm(draft, { force: true });
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

/** As copies and their drafts are named: others keep things in this folder too. */
const named = /^[0-9a-f]{64}\.json/;

/** Once in a process; what another one removes meanwhile is gone all the same. */
async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!named.test(name)) continue;
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > keptMs) await rm(path, { force: true });
  }
}
