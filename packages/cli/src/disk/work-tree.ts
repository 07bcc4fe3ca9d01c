import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";

/** The work trees in which folders are, as far as was looked. */
export type Roots = Map<string, string | null>;

/** The work tree that a folder is in. The folder is written as the disk has it. */
export function rootOf(folder: string, known: Roots = new Map()): string | null {
  const found = known.get(folder);
  if (found !== undefined) return found;
  const above = dirname(folder);
  const root = hasGit(folder) ? folder : above === folder ? null : rootOf(above, known);
  known.set(folder, root);
  return root;
}

/** In a work tree that is linked `.git` is a file; a folder of that name that holds nothing is passed over by git, too. */
function hasGit(folder: string): boolean {
  const look = (name: string) => lstatSync(join(folder, name), { throwIfNoEntry: false });
  const found = look(".git");
  return found?.isFile() === true || (found !== undefined && look(".git/HEAD") !== undefined);
}
