import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { manifestName } from "../push/manifest.ts";
import type { PulledPrompt } from "./read-version.ts";

/** Paths come from the registry with slashes, whatever this system writes. */
const placeIn = (folder: string, path: string) => join(folder, ...path.split("/"));

/** Makes a folder with a manifest, whole or not at all. */
export async function makeFolder(folder: string, pulled: PulledPrompt): Promise<void> {
  const draft = join(dirname(folder), `.promptreg-${randomUUID()}`);
  try {
    await writeFiles(draft, pulled.files);
    await writeFile(join(draft, manifestName), manifestOf(pulled));
    // An empty folder may be there already, and not every system renames over one.
    await rmdir(folder).catch(() => {});
    await rename(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/**
 * Brings the files of a folder to a version. All are written beside the old ones before the first of those goes;
 * what a push leaves behind, and the manifest, stay as they are.
 */
export async function updateFolder(
  folder: string,
  { files }: PulledPrompt,
  there: readonly { path: string; sha256: string; mode: string }[],
): Promise<void> {
  const draft = join(folder, `.promptreg-${randomUUID()}`);
  const old = new Map(there.map((file) => [file.path, file]));
  const kept = new Set(files.map(({ path }) => path));
  const changed = files.filter(({ path, sha256, mode }) => {
    const file = old.get(path);
    return file?.sha256 !== sha256 || file.mode !== mode;
  });
  try {
    await writeFiles(draft, changed);
    // What goes, goes first: there may be a file where a folder is needed.
    for (const { path } of there) if (!kept.has(path)) await removeFile(folder, path);
    for (const { path } of changed) {
      const place = placeIn(folder, path);
      await mkdir(dirname(place), { recursive: true });
      await rename(placeIn(draft, path), place);
    }
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function writeFiles(folder: string, files: PulledPrompt["files"]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { path, bytes, mode } of files) {
    const place = placeIn(folder, path);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, bytes, { mode: mode === "100755" ? 0o777 : 0o666, flag: "wx" });
  }
}

/** Removes a file, and the folders that it leaves empty. */
async function removeFile(folder: string, path: string): Promise<void> {
  await rm(placeIn(folder, path));
  for (let inside = dirname(path); inside !== "."; inside = dirname(inside)) {
    const place = placeIn(folder, inside);
    if ((await readdir(place)).length > 0) return;
    await rmdir(place);
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
