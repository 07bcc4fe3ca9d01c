import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { rootOf, type Roots } from "../../disk/work-tree.ts";
import { git, pathFrom } from "./git.ts";
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
  /** Whether git tracks something in the folder of a state, which is said once. */
  tracksState: (place: string) => Promise<boolean>;
  /** Whether `.promptregignore` leaves out a path of a prompt, which need not be there now. */
  leavesOut: (folder: string, path: string) => boolean;
}

/** The files of a work tree that git tracks or would track, and the folders above them, by their places. */
interface Listed {
  /** The folder that git was asked about. */
  base: string;
  files: Set<string>;
  /** By whether something in them is tracked already. */
  folders: Map<string, boolean>;
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
  let isStateTold = false;

  const ask = async (root: string, among: readonly string[]): Promise<Listed | IsIgnored> => {
    const base = baseOf(root, among, roots);
    try {
      const args = ["ls-files", "--cached", "--others", "--exclude-standard", "-t", "-z", "--"];
      return readListed(root, base, await git(root, [...args, pathFrom(root, base)]));
    } catch (error) {
      note(`${root}: ${reasonOf(error)} Only the .gitignore files are used.`);
      return readIgnoreFiles(".gitignore", root);
    }
  };
  const treeOf = async (place: string): Promise<Listed | IsIgnored> => {
    const root = rootOf(place, roots);
    if (root === null) return kept(trees, root, async () => readIgnoreFiles(".gitignore"));
    const tree = await kept(trees, root, () => ask(root, places));
    if (typeof tree === "function" || isBelow(tree.base, place)) return tree;
    // The source of a prompt may lie outside of all the folders that a command was given.
    const wider = ask(root, [tree.base, place]);
    trees.set(root, wider);
    return wider;
  };
  const leftOutOf = (root: string | null) =>
    kept(leftOut, root, () => readIgnoreFiles(".promptregignore", root ?? undefined));

  return {
    async in(folder) {
      const place = realpathSync(folder);
      const root = rootOf(place, roots);
      const [tree, isLeftOut] = [await treeOf(place), leftOutOf(root)];
      return (name, isDirectory) => {
        const isIgnored =
          typeof tree === "function"
            ? tree(place, name, isDirectory) && "ignored by git"
            : refusalIn(tree, join(place, name), isDirectory);
        if (isIgnored) return isIgnored;
        return isLeftOut(place, name, isDirectory) ? "left out by .promptregignore" : null;
      };
    },
    async tracksState(state) {
      const place = join(realpathSync(dirname(state)), basename(state));
      const tree = await treeOf(dirname(place));
      if (typeof tree === "function" || tree.folders.get(place.normalize()) !== true) return false;
      if (!isStateTold)
        note(
          `${state} is in git. It describes another checkout, so it is ignored. \`git rm -r --cached ${state}\` removes it from git.`,
        );
      isStateTold = true;
      return true;
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
      const tree = await treeOf(place);
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
  const listed: Listed = { base, files: new Set(), folders: new Map(), folded: new Map() };
  const top = dirname(base.normalize());
  for (const line of output.toString().split("\0").filter(Boolean)) {
    // `H` and the path; a question mark stands for what is not tracked.
    const isTracked = !line.startsWith("?");
    // It ends in a slash where git has met another repository.
    const place = join(root, line.slice(2)).normalize();
    listed.files.add(place);
    listed.folded.set(fold(place), place);
    for (let at = dirname(place); at !== top; at = dirname(at)) {
      const known = listed.folders.get(at);
      if (known === true || known === isTracked) break;
      listed.folders.set(at, isTracked);
    }
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
    while (!isBelow(base, folder)) base = dirname(base);
  }
  return base ?? root;
}

const isBelow = (base: string, place: string) => relative(base, place).split(sep)[0] !== "..";

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
  if (code === "ENOENT") return "git is not installed.";
  const [line = ""] = (stderr ?? "").toString().split("\n");
  return `git failed (${line.replace(/^fatal: /, "") || code}).`;
}
