import { lstat, rename, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { faultOf, InputError } from "../errors.ts";
import { isContent, makeFolders, placeIn, removeEmpty, takenIn } from "./places.ts";
import { beginRun, endRun, type Run } from "./runs.ts";

/** A file in a folder, as it is or was. */
export interface SeenFile {
  /** Relative to the folder, with `/`. */
  path: string;
  mode: "100644" | "100755";
  /** Of the bytes, in lower-case hex. */
  sha256: string;
}
/** A file as it is to be. */
export interface NewFile extends SeenFile {
  bytes: Uint8Array;
}

/**
 * Brings a folder from the files that are there to others, all or none: these are written beside those, which move aside
 * and come back when something fails. If the process is killed, `recoverRuns` brings them back. Other files in the folder
 * stay as they are.
 * @param finish is part of it: where it fails, everything is as before. It announces the file that it writes.
 */
export async function updateFiles(
  folder: string,
  files: readonly NewFile[],
  there: readonly SeenFile[],
  finish: (run: Run) => Promise<void> = async () => {},
): Promise<void> {
  // What a link leads to can change or go: it becomes the file that it stood for.
  const links = await linksAmong(folder, there);
  const added = files.filter((file) => !isIn(there, file) || links.has(file.path));
  const outdated = there.filter((file) => !isIn(files, file) || links.has(file.path));
  const moved: Move[] = [];
  const run = await beginRun(folder, added).catch((error: unknown) => {
    throw unwritable(folder, error, "It did not change.");
  });
  const [fresh, old] = [join(run.draft, "new"), join(run.draft, "old")];
  try {
    await writeFiles(fresh, added);
    // What goes, goes first: there may be a file where a folder is needed.
    for (const { path, sha256 } of outdated) {
      await move(moved, { from: placeIn(folder, path), to: placeIn(old, path) });
      // Somebody may have written there after it was looked at, or agreed to. A link leads nowhere from here; what it led to is looked at by itself.
      const aside = placeIn(old, path);
      if (!(await lstat(aside)).isSymbolicLink() && !(await isContent(aside, sha256)))
        throw new Error(`${path} changed meanwhile`);
      await removeEmpty(folder, path);
    }
    for (const { path } of added) {
      const taken = await takenIn(folder, path);
      if (taken !== null) throw new Error(`${taken} exists and is not part of the prompt`);
      await move(moved, { from: placeIn(fresh, path), to: placeIn(folder, path) });
    }
    await finish(run);
  } catch (error) {
    await undo(moved).catch((failure) => {
      throw unwritable(folder, failure, `The former files are in ${old}.`);
    });
    for (const { path } of added) await removeEmpty(folder, path);
    // The first error says why.
    await endRun(run).catch(() => {});
    throw unwritable(folder, error, "It did not change.");
  }
  await endRun(run);
}

async function linksAmong(folder: string, files: readonly SeenFile[]): Promise<Set<string>> {
  const links = new Set<string>();
  for (const { path } of files) {
    const stat = await lstat(placeIn(folder, path)).catch(() => null);
    if (stat?.isSymbolicLink()) links.add(path);
  }
  return links;
}

interface Move {
  from: string;
  to: string;
}

async function move(moved: Move[], { from, to }: Move): Promise<void> {
  await makeFolders(dirname(to));
  await rename(from, to);
  moved.push({ from, to });
}

async function undo(moved: readonly Move[]): Promise<void> {
  for (const { from, to } of moved.toReversed()) await move([], { from: to, to: from });
}

const isIn = (files: readonly SeenFile[], { path, sha256, mode }: SeenFile): boolean =>
  files.some((file) => file.path === path && file.sha256 === sha256 && file.mode === mode);

/** Writes files into a folder where nothing is yet. */
export async function writeFiles(folder: string, files: readonly NewFile[]): Promise<void> {
  await makeFolders(folder);
  for (const { path, bytes, mode } of files) {
    const place = placeIn(folder, path);
    await makeFolders(dirname(place));
    await writeFile(place, bytes, { mode: mode === "100755" ? 0o777 : 0o666, flag: "wx" });
  }
}

/** What to say when the system does not let us write. The folder is often `.`, which says nothing. */
export const unwritable = (folder: string, error: unknown, left: string): InputError =>
  new InputError(`${resolve(folder)} cannot be written: ${faultOf(error)}. ${left}`);
