import { lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InputError } from "../errors.ts";
import { host, isGone, nameOfHolder } from "./runs.ts";

/** Makes a folder for temporary files. Those that killed commands of this account left on this machine go. */
export async function makeScratch(): Promise<string> {
  await sweep();
  return mkdtemp(join(tmpdir(), `promptreg-${nameOfHolder()}-`)).catch((error: Error) => {
    throw new InputError(
      `No temporary folder can be made in ${tmpdir()}: ${error.message}. Set TMPDIR to another.`,
    );
  });
}

async function sweep(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const [, pid = "", at = ""] = /^promptreg-(\d+)-([0-9a-f]{8})-\w{6}$/.exec(name) ?? [];
    // This process can have several. How long others take elsewhere, nobody knows: an import can wait for days.
    if (at !== host || Number(pid) === process.pid) continue;
    const folder = join(tmpdir(), name);
    try {
      const found = await lstat(folder);
      const isOwn = found.isDirectory() && found.uid === (process.getuid?.() ?? found.uid);
      if (isOwn && (await isGone([pid, at], folder))) await rm(folder, { recursive: true, force: true });
    } catch {
      // Another command removes it.
    }
  }
}
