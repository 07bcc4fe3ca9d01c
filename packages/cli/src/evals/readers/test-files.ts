import { lstatSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { rootOf } from "../../disk/work-tree.ts";

/**
 * Names files of tests as they are called in their project, in whatever folder and on whatever machine they ran: by their paths in
 * the work tree that holds them; if they ran elsewhere, by the paths that this work tree has too; else by what their paths do not have
 * in common.
 */
export function nameFiles(paths: readonly string[]): (path: string) => string {
  const files = [...new Set(paths.map(slashed))].filter((file) => /^(?:[A-Za-z]:)?\//.test(file));
  const roots = new Map(files.map((file) => [file, workTreeOf(dirname(file))]));
  const foreign = files.filter((file) => roots.get(file) === null);
  const here = workTreeOf(process.cwd());
  const [elsewhere = ""] = foreign
    .flatMap((file) => (here === null ? [] : (rootElsewhere(file, here) ?? [])))
    .sort((a, b) => a.length - b.length);
  const common = commonFolder(foreign.filter((file) => !isBelow(file, elsewhere)));
  return (path) => {
    const file = slashed(path);
    const root = roots.get(file) ?? (isBelow(file, elsewhere) ? elsewhere : common);
    return isBelow(file, root) ? file.slice(root.length) : file;
  };
}

const slashed = (path: string): string => path.replaceAll("\\", "/");
const isBelow = (file: string, root: string): boolean => root !== "" && file.startsWith(root);

/** Longer paths are on no disk. */
const maxPath = 4096;

/** The work tree that a folder is in, with a slash at its end; null where it is in none, or is not of this machine. */
function workTreeOf(folder: string): string | null {
  // Two slashes begin the name of another machine.
  if (!isAbsolute(folder) || folder.startsWith("//") || folder.length > maxPath) return null;
  try {
    const root = rootOf(folder);
    return root === null ? null : `${slashed(root).replace(/\/$/, "")}/`;
  } catch {
    // It may not be looked at.
    return null;
  }
}

/** The folder that is on another machine what this work tree is here: what stands before the longest path that both have. */
function rootElsewhere(file: string, here: string): string | undefined {
  if (file.length > maxPath) return undefined;
  for (let end = file.indexOf("/"); end !== -1; end = file.indexOf("/", end + 1))
    if (isThere(join(here, file.slice(end + 1)))) return file.slice(0, end + 1);
  return undefined;
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}

/** The folder that all files are in, with a slash at its end. */
function commonFolder([first = "", ...files]: readonly string[]): string {
  let length = first.lastIndexOf("/") + 1;
  for (const file of files)
    while (!file.startsWith(first.slice(0, length))) length = first.lastIndexOf("/", length - 2) + 1;
  return first.slice(0, length);
}
