import { mkdtemp, readdir, rm, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { apiError } from "@promptreg/core/errors";
import { makeFolder } from "../../database/folder.ts";

/** No request and no job takes as long: what is older was left by a process that was killed. */
const maxAgeMs = 60 * 60 * 1000;
/** How often to look for what is old. */
const tidyMs = 5 * 60 * 1000;
/** What other programs on the disk need, PostgreSQL above all. */
const freeBytes = 100e6;

const tidiedAt = new Map<string, number>();

/** Makes a folder in the spool folder for files that are on their way. Whoever asks for it deletes it. */
export async function openSpool(spoolFolder: string): Promise<string> {
  makeFolder(spoolFolder);
  await requireSpace(spoolFolder);
  const folder = await mkdtemp(join(spoolFolder, "spool-"));
  const nowMs = performance.now();
  if (nowMs - (tidiedAt.get(spoolFolder) ?? -tidyMs) >= tidyMs) {
    tidiedAt.set(spoolFolder, nowMs);
    await deleteOld(spoolFolder, folder);
  }
  return folder;
}

export const closeSpool = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

/**
 * Checks that a disk has room. Whoever writes much asks again on the way.
 * @throws {ApiError} `unavailable`.
 */
export async function requireSpace(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= freeBytes) return;
  throw apiError("unavailable", { message: "The server is short of disk space. Try again later." });
}

/** Deletes what killed processes left. `newest` has the time of the file system, which the others are compared with. */
async function deleteOld(spoolFolder: string, newest: string): Promise<void> {
  const { mtimeMs } = await stat(newest);
  for (const name of await readdir(spoolFolder)) {
    const folder = join(spoolFolder, name);
    try {
      if (mtimeMs - (await stat(folder)).mtimeMs > maxAgeMs) await closeSpool(folder);
    } catch {
      // It just went.
    }
  }
}
