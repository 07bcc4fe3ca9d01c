import { lstatSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/**
 * The nearest folder with a file of this name: this folder or one above it, up to the root of the work tree, as git looks
 * for its own. Relative to this folder; undefined where there is none.
 */
export function folderAbove(name: string): string | undefined {
  const start = process.cwd();
  const look = (place: string) => lstatSync(place, { throwIfNoEntry: false });
  for (let folder = start; ; folder = dirname(folder)) {
    const file = look(join(folder, name));
    // Above may be a folder in which anybody can leave a file.
    if (file && (folder === start || file.uid === look(start)?.uid)) return relative(start, folder) || ".";
    if (look(join(folder, ".git")) || folder === dirname(folder)) return undefined;
  }
}
