import { createHash, randomUUID } from "node:crypto";
import { lstat, mkdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { InputError } from "../errors.ts";

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

/** Where a file of a folder is. Paths of the registry have slashes, whatever this system writes. */
export const placeIn = (folder: string, path: string) => join(folder, ...path.split("/"));

/**
 * Brings a folder from the files that are there to others, all or none: these are written beside those, which move aside
 * and come back when something fails. Other files in the folder stay as they are.
 * @param finish is part of it: where it fails, everything is as before.
 */
export async function updateFiles(
  folder: string,
  files: readonly NewFile[],
  there: readonly SeenFile[],
  finish: () => Promise<void> = async () => {},
): Promise<void> {
  const draft = join(folder, `.promptreg-${randomUUID()}`);
  const [fresh, old] = [join(draft, "new"), join(draft, "old")];
  const added = files.filter((file) => !isIn(there, file));
  const outdated = there.filter((file) => !isIn(files, file));
  const moved: Move[] = [];
  try {
    await writeFiles(fresh, added);
    // What goes, goes first: there may be a file where a folder is needed.
    for (const { path, sha256 } of outdated) {
      await move(moved, { from: placeIn(folder, path), to: placeIn(old, path) });
      // Somebody may have written there after it was looked at, or agreed to.
      if ((await sha256Of(placeIn(old, path))) !== sha256) throw new Error(`${path} changed meanwhile`);
      await removeEmpty(folder, path);
    }
    for (const { path } of added) {
      const taken = await takenIn(folder, path);
      if (taken !== null) throw new Error(`${taken} exists and is not part of the prompt`);
      await move(moved, { from: placeIn(fresh, path), to: placeIn(folder, path) });
    }
    await finish();
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

const sha256Of = async (place: string) =>
  createHash("sha256")
    .update(await readFile(place))
    .digest("hex");

const isIn = (files: readonly SeenFile[], { path, sha256, mode }: SeenFile): boolean =>
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

/** Writes files into a folder where nothing is yet. */
export async function writeFiles(folder: string, files: readonly NewFile[]): Promise<void> {
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

/** What to say when the system does not let us write. The folder is often `.`, which says nothing. */
export const unwritable = (folder: string, error: unknown, left: string): InputError =>
  new InputError(
    `${resolve(folder)} cannot be written: ${(error as Error).message.replace(/\.$/, "")}. ${left}`,
  );
