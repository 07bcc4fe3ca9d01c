import { lstatSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import ignore, { type Ignore } from "ignore";
import { pathFromTo } from "../../disk/places.ts";
import { readFileAt } from "../../disk/read-file.ts";

/** Far more than rules need. */
const maxMebibytes = 1;

/** Whether something in a folder is to be left out; whoever asks has asked for the folders above it before. */
export type IsIgnored = (folder: string, name: string, isDirectory: boolean) => boolean;

/**
 * Reads what files such as `.gitignore` leave out, by git's rules: each holds for the folder that it is in and below, from
 * `root` down, and the nearest has the last word. Without a root they count from below the home folder.
 */
export function readIgnoreFiles(fileName: string, root?: string): IsIgnored {
  const top = root ?? homedir();
  const read = new Map<string, Ignore | null>();
  const rulesIn = (folder: string) => {
    let rules = read.get(folder);
    if (rules === undefined) read.set(folder, (rules = readRules(join(folder, fileName))));
    return rules;
  };
  return (folder, name, isDirectory) => {
    const path = join(folder, name);
    for (let at = folder; ; at = dirname(at)) {
      const above = dirname(at);
      if (above === at || (root === undefined && at === top)) return false;
      const rules = rulesIn(at);
      const inside = pathFromTo(at, path);
      const found = rules?.test(isDirectory ? `${inside}/` : inside);
      if (found?.ignored) return true;
      if (found?.unignored || at === top) return false;
    }
  };
}

function readRules(file: string): Ignore | null {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined || stat.isDirectory()) return null;
  return ignore().add(new TextDecoder().decode(readFileAt(file, maxMebibytes).bytes));
}
