import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { git, pathFrom, rootOf, type Roots } from "./git.ts";
import { type IsIgnored, readIgnoreFiles } from "./ignore-files.ts";

/** Why something in a folder does not go out; null for what does. */
export type Refusal =
  | "ignored by git"
  | "left out by .promptregignore"
  | "a git repository of its own"
  | null;

/** Says what git tracks or would track, less what `.promptregignore` leaves out. */
export interface Selection {
  /** Makes what judges the entries of a folder that goes out itself. */
  in: (folder: string) => Promise<(name: string, isDirectory: boolean) => Refusal>;
  /** Whether git leaves out a folder with all that is in it. */
  ignores: (folder: string) => Promise<boolean>;
  /** Whether `.promptregignore` leaves out a path of a prompt, which need not be there now. */
  leavesOut: (folder: string, path: string) => boolean;
}

/** The files of a work tree that git tracks or would track, and the folders above them, by their places. */
interface Listed {
  files: Set<string>;
  folders: Set<string>;
  /** The files as a disk sees them for which case does not count. */
  folded: Map<string, string>;
}

/**
 * Selects among what lies in some places, with one question to git for each work tree, however many places there are.
 * Where git is not there or does not answer, its `.gitignore` files are read instead, and `note` is told.
 */
export function createSelection(
  places: readonly string[],
  note: (text: string) => void = () => {},
): Selection {
  const roots: Roots = new Map();
  const trees = new Map<string | null, Promise<Listed | IsIgnored>>();
  const leftOut = new Map<string | null, IsIgnored>();

  const ask = async (root: string): Promise<Listed | IsIgnored> => {
    const base = baseOf(root, places, roots);
    try {
      const args = ["ls-files", "--cached", "--others", "--exclude-standard", "-z", "--"];
      return readListed(root, base, await git(root, [...args, pathFrom(root, base)]));
    } catch (error) {
      note(`${root}: ${reasonOf(error)} Of what it ignores only the .gitignore files were read.`);
      return readIgnoreFiles(".gitignore", root);
    }
  };
  const treeOf = (root: string | null) =>
    kept(trees, root, () => (root === null ? Promise.resolve(readIgnoreFiles(".gitignore")) : ask(root)));
  const leftOutOf = (root: string | null) =>
    kept(leftOut, root, () => readIgnoreFiles(".promptregignore", root ?? undefined));

  return {
    async in(folder) {
      const place = realpathSync(folder);
      const root = rootOf(place, roots);
      const [tree, isLeftOut] = [await treeOf(root), leftOutOf(root)];
      return (name, isDirectory) => {
        const isIgnored =
          typeof tree === "function"
            ? tree(place, name, isDirectory) && "ignored by git"
            : refusalIn(tree, join(place, name), isDirectory);
        if (isIgnored) return isIgnored;
        return isLeftOut(place, name, isDirectory) ? "left out by .promptregignore" : null;
      };
    },
    leavesOut(folder, path) {
      const place = realpathSync(folder);
      const isLeftOut = leftOutOf(rootOf(place, roots));
      const names = path.split("/");
      return names.some((name, index) =>
        isLeftOut(join(place, ...names.slice(0, index)), name, index < names.length - 1),
      );
    },
    async ignores(folder) {
      const place = realpathSync(folder);
      const root = rootOf(place, roots);
      const tree = await treeOf(root);
      if (typeof tree !== "function") return !tree.folders.has(place.normalize()) && holdsFile(place);
      for (let at = place; at !== root && at !== dirname(at); at = dirname(at))
        if (tree(dirname(at), basename(at), true)) return true;
      return false;
    },
  };
}

/** What is known of a key, made when it is first asked for. */
function kept<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

function refusalIn(tree: Listed, path: string, isDirectory: boolean): Refusal {
  const known = path.normalize();
  if (isDirectory) {
    if (tree.folders.has(known)) return null;
    // So git lists a repository in a repository.
    if (tree.files.has(known) || tree.files.has(`${known}${sep}`)) return "a git repository of its own";
    return holdsFile(path) ? "ignored by git" : null;
  }
  if (tree.files.has(known)) return null;
  const twin = tree.folded.get(fold(path));
  return twin !== undefined && areOne(path, twin) ? null : "ignored by git";
}

const fold = (path: string) => path.normalize().toLowerCase();

/** Git keeps the case in which it met a name, though the disk has it in another since. */
function areOne(path: string, twin: string): boolean {
  const look = (file: string) => lstatSync(file, { bigint: true, throwIfNoEntry: false });
  const [one, other] = [look(path), look(twin)];
  return one !== undefined && other !== undefined && one.ino === other.ino && one.dev === other.dev;
}

/** What nobody may look into holds something, as far as is known. */
function holdsFile(folder: string): boolean {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.some((entry) => !entry.isDirectory() || holdsFile(join(folder, entry.name)));
  } catch {
    return true;
  }
}

function readListed(root: string, base: string, output: Buffer): Listed {
  const listed: Listed = { files: new Set(), folders: new Set(), folded: new Map() };
  const top = dirname(base.normalize());
  for (const path of output.toString().split("\0").filter(Boolean)) {
    // It ends in a slash where git has met another repository.
    const place = join(root, path).normalize();
    listed.files.add(place);
    listed.folded.set(fold(place), place);
    for (let at = dirname(place); at !== top && !listed.folders.has(at); at = dirname(at))
      listed.folders.add(at);
  }
  return listed;
}

/** The folder of a work tree below which all the places are. */
function baseOf(root: string, places: readonly string[], roots: Roots): string {
  let base: string | undefined;
  for (const place of places) {
    const folder = folderAt(place);
    if (folder === null || rootOf(folder, roots) !== root) continue;
    base ??= folder;
    while (relative(base, folder).split(sep)[0] === "..") base = dirname(base);
  }
  return base ?? root;
}

function folderAt(place: string): string | null {
  try {
    const path = realpathSync(place);
    return statSync(path).isDirectory() ? path : dirname(path);
  } catch {
    // Whoever reads it says what is wrong with it.
    return null;
  }
}

function reasonOf(error: unknown): string {
  const { code, stderr } = error as NodeJS.ErrnoException & { stderr?: Buffer };
  if (code === "ENOENT") return "git is not installed here.";
  const [line = ""] = (stderr ?? "").toString().split("\n");
  return `git does not answer (${line.replace(/^fatal: /, "") || code}).`;
}
