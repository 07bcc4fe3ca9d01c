import { rename, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolders } from "../../disk/places.ts";
import { beginRun, endRun } from "../../disk/runs.ts";
import { unwritable, writeFiles } from "../../disk/update-files.ts";
import { manifestName } from "../local/manifest.ts";
import type { PulledPrompt } from "../compare/read-version.ts";

/** Makes a folder with a manifest, whole or not at all. */
export async function makeFolder(folder: string, pulled: PulledPrompt): Promise<void> {
  try {
    await makeFolders(dirname(folder));
    const run = await beginRun(dirname(folder));
    try {
      const fresh = join(run.draft, "new");
      await writeFiles(fresh, pulled.files);
      await writeFile(join(fresh, manifestName), manifestOf(pulled));
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

/** What the registry says of a prompt, without what it says nothing of. */
function manifestOf({ prompt }: PulledPrompt): string {
  const { ref, kind, title, summary, tags, license, visibility, rating } = prompt;
  const manifest = {
    prompt: ref,
    kind,
    title,
    ...(summary && { summary }),
    ...(tags.length > 0 && { tags }),
    ...(license && { license }),
    visibility,
    ...(rating !== "general" && { rating }),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
