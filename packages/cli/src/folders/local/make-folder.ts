import { rename, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CheckedFile } from "@promptreg/core/content";
import { makeFolders } from "../../disk/places.ts";
import { beginRun, endRun } from "../../disk/runs.ts";
import { unwritable, writeFiles } from "../../disk/update-files.ts";
import { type Manifest, manifestName } from "./manifest.ts";

/** Makes a prompt folder with its manifest, whole or not at all. */
export async function makeFolder(
  folder: string,
  files: readonly CheckedFile[],
  manifest: Manifest,
): Promise<void> {
  try {
    await makeFolders(dirname(folder));
    const run = await beginRun(dirname(folder));
    try {
      const fresh = join(run.draft, "new");
      await writeFiles(fresh, files);
      await writeFile(join(fresh, manifestName), `${JSON.stringify(manifest, null, 2)}\n`);
      // An empty folder may be there already, and not every system renames over one.
      await rmdir(folder).catch(() => {});
      await rename(fresh, folder);
    } finally {
      await endRun(run).catch(() => {});
    }
  } catch (error) {
    throw unwritable(folder, error, "Nothing was written.");
  }
}
