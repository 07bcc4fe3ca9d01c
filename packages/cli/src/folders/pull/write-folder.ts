import { randomUUID } from "node:crypto";
import { lstat, mkdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { CheckedFile } from "@promptreg/core/content";
import { InputError } from "../../errors.ts";
import { manifestName } from "../local/manifest.ts";
import type { PulledPrompt } from "../compare/read-version.ts";

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
  } catch (error) {
    throw unwritable(folder, error, "Nothing was written.");
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/**
 * Brings a folder from the files that are there to others, all or none: these are written beside those, which move aside
 * and come back when something fails. What a push leaves behind, and the manifest, stay as they are.
 */
export async function updateFolder(
  folder: string,
  files: readonly CheckedFile[],
  there: readonly CheckedFile[],
): Promise<void> {
  const draft = join(folder, `.promptreg-${randomUUID()}`);
  const [fresh, old] = [join(draft, "new"), join(draft, "old")];
  const added = files.filter((file) => !isIn(there, file));
  const outdated = there.filter((file) => !isIn(files, file));
  const moved: Move[] = [];
  try {
    await writeFiles(fresh, added);
    // What goes, goes first: there may be a file where a folder is needed.
    for (const { path } of outdated) {
      await move(moved, { from: placeIn(folder, path), to: placeIn(old, path) });
      await removeEmpty(folder, path);
    }
    for (const { path } of added) {
      const taken = await takenIn(folder, path);
      if (taken !== null) throw new Error(`${taken} exists and is not part of the prompt`);
      await move(moved, { from: placeIn(fresh, path), to: placeIn(folder, path) });
    }
  } catch (error) {
    await undo(moved).catch((failure) => {
      throw unwritable(folder, failure, `The former files are in ${old}.`);
    });
    for (const { path } of added) await removeEmpty(folder, path);
    await rm(draft, { recursive: true, force: true });
    throw unwritable(folder, error, "It did not change.");
  }
  await rm(draft, { recursive: true, force: true });
}

interface Move {
  from: string;
  to: string;
}

async function move(moved: Move[], { from, to }: Move): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await rename(from, to);
  moved.push({ from, to });
}

async function undo(moved: readonly Move[]): Promise<void> {
  for (const { from, to } of moved.toReversed()) await move([], { from: to, to: from });
}

const isIn = (files: readonly CheckedFile[], { path, sha256, mode }: CheckedFile): boolean =>
  files.some((file) => file.path === path && file.sha256 === sha256 && file.mode === mode);

/** What stands in the way of a file: something in its place, or no folder, or a link to one, on the way there. */
async function takenIn(folder: string, path: string): Promise<string | null> {
  for (let end = path.indexOf("/"); ; end = path.indexOf("/", end + 1)) {
    const part = end === -1 ? path : path.slice(0, end);
    const stat = await lstat(placeIn(folder, part)).catch(() => null);
    if (stat === null) return null;
    if (end === -1 || !stat.isDirectory()) return part;
  }
}

async function writeFiles(folder: string, files: readonly CheckedFile[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { path, bytes, mode } of files) {
    const place = placeIn(folder, path);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, bytes, { mode: mode === "100755" ? 0o777 : 0o666, flag: "wx" });
  }
}

/** Removes the folders that a file left empty; the first that is not stops it. */
async function removeEmpty(folder: string, path: string): Promise<void> {
  try {
    for (let inside = dirname(path); inside !== "."; inside = dirname(inside))
      await rmdir(placeIn(folder, inside));
  } catch {
    // It holds something, or is not there.
  }
}

/** What to say when the system does not let us write. */
const unwritable = (folder: string, error: unknown, left: string): InputError =>
  new InputError(`${folder} cannot be written: ${(error as Error).message}. ${left}`);

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
