import { randomUUID } from "node:crypto";
import { rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { unwritable, writeFiles } from "../../disk/update-files.ts";
import { manifestName } from "../local/manifest.ts";
import type { PulledPrompt } from "../compare/read-version.ts";

/** Makes a folder with a manifest, whole or not at all. */
export async function makeFolder(folder: string, pulled: PulledPrompt): Promise<void> {
  const draft = join(dirname(folder), `.promptreg-${randomUUID()}`);
  try {
    await writeFiles(draft, pulled.files);
    await writeFile(join(draft, manifestName), manifestOf(pulled));
    // An empty folder may be there already, and not every system renames over one.
    await rmdir(folder).catch(() => {});
    await rename(draft, folder);
  } catch (error) {
    throw unwritable(folder, error, "Nothing was written.");
  } finally {
    await rm(draft, { recursive: true, force: true });
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
