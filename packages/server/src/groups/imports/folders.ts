import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const prefix = "promptreg-import-";
/** No work takes as long: what is older was left by a process that was killed. */
const maxAgeMs = 60 * 60 * 1000;

/** Lends a folder for as long as the work takes. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Deletes the folders that killed processes left. */
export const deleteOldFolders = (): Promise<void> =>
  withFolder(async (newest) => {
    // The time of the file system, which the others are compared with.
    const { mtimeMs } = await stat(newest);
    for (const name of await readdir(tmpdir())) {
      if (!name.startsWith(prefix)) continue;
      const folder = join(tmpdir(), name);
      try {
        if (mtimeMs - (await stat(folder)).mtimeMs > maxAgeMs) await rm(folder, { recursive: true });
      } catch {
        // It is somebody else's, or just went.
      }
    }
  });
