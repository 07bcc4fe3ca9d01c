import { createHash } from "node:crypto";
import { lstat, mkdir, readFile, rmdir } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { InputError } from "../errors.ts";

/** Where a file of a folder is. Paths of the registry have slashes, whatever this system writes. */
export const placeIn = (folder: string, path: string) => join(folder, ...path.split("/"));

/** What stands in the way of a file: something in its place, or no folder, or a link to one, on the way there. */
export async function takenIn(folder: string, path: string): Promise<string | null> {
  for (let end = path.indexOf("/"); ; end = path.indexOf("/", end + 1)) {
    const part = end === -1 ? path : path.slice(0, end);
    const stat = await lstat(placeIn(folder, part)).catch(() => null);
    if (stat === null) return null;
    if (end === -1 || !stat.isDirectory()) return part;
  }
}

/**
 * Whoever made the folder must not have others send what is elsewhere.
 * @throws {InputError} unless a path leads to a file of the folder, and not through a link.
 */
export async function requireFile(folder: string, entry: string, path: string | undefined): Promise<void> {
  if (path === undefined) return;
  const place = placeIn(folder, path);
  const taken = await takenIn(folder, path);
  if (taken === null) throw new InputError(`${entry}: ${place} does not exist.`);
  if (taken !== path || !(await lstat(place)).isFile())
    throw new InputError(`${entry}: ${place} is no file of this folder. Links are not followed.`);
}

/** Makes a folder and those above it. Node's own way says ENOENT where the disk is read-only. */
export async function makeFolders(folder: string, mode?: number): Promise<void> {
  try {
    await mkdir(folder, mode);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" || dirname(folder) === folder) {
      if ((await lstat(folder).catch(() => null)) === null) throw error;
      return;
    }
    await makeFolders(dirname(folder), mode);
    await mkdir(folder, mode).catch((error: NodeJS.ErrnoException) => {
      // Somebody else makes it at the same time.
      if (error.code !== "EEXIST") throw error;
    });
  }
}

/** Removes the folders that a file left empty; the first that is not stops it. */
export async function removeEmpty(folder: string, path: string): Promise<void> {
  try {
    for (let inside = dirname(path); inside !== "."; inside = dirname(inside))
      await rmdir(placeIn(folder, inside));
  } catch {
    // It holds something, or is not there.
  }
}

/** Of a file, in lower-case hex. */
export const sha256Of = async (place: string): Promise<string> => digestOf(await readFile(place));

/** Whether a file has a digest, or had it with the line endings that git keeps. */
export async function isContent(place: string, sha256: string): Promise<boolean> {
  const bytes = await readFile(place);
  const withLf = () => Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
  return digestOf(bytes) === sha256 || digestOf(withLf()) === sha256;
}

const digestOf = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

/** A place as it is written in a folder, with `/`. */
export const pathFromTo = (folder: string, place: string): string =>
  relative(folder, place).split(sep).join("/");
