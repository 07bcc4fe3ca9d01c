import type { VersionSummary } from "@promptreg/client";
import { checkFiles, contentHash, type FileInput } from "@promptreg/core/content";
import { takenOf, toInput } from "../local/read-folder.ts";
import { git, placeInGit } from "../local/git.ts";
import { createSelection } from "../local/selection.ts";

/** Branches of more commits come in at once; whoever changed a folder more often without a push has to compare it themselves. */
const commitsRead = "--max-count=100";
/** What a merge kept nothing of belongs to the history all the same: whoever merged has seen it. */
const revList = ["rev-list", commitsRead, "--full-history", "--format=%T"];

const lines = { here: ["HEAD"], elsewhere: ["--all", "--not", "HEAD"] };

/**
 * What a folder was in the last commits that changed it, as content hashes, the newest first: in those that led to what
 * is checked out, or in those on other branches and in the stash. It ends with `until`. Empty where there is no git.
 */
export async function historyInGit(
  folder: string,
  line: keyof typeof lines,
  until?: string,
): Promise<string[]> {
  const hashes: string[] = [];
  const blobs = new Map<string, Buffer>();
  try {
    const { root, inside } = placeInGit(folder);
    // Not `git log`, which settings of the user make print more.
    const listed = await git(root, [...revList, ...lines[line], "--", inside]);
    const trees = listed.toString().match(/^\w+$/gm) ?? [];
    const commits = (await filesIn({ root, inside }, trees)).map((entries) => takenFrom(folder, entries));
    for (const [index, entries] of commits.entries()) {
      if (index % atOnce === 0) await readBlobs(root, commits.slice(index, index + atOnce).flat(), blobs);
      const { files } = await checkFiles(entries.map((entry) => inputOf(entry, blobs)));
      const hash = await contentHash(files);
      hashes.push(hash);
      if (hash === until) break;
    }
  } catch {
    // No git, no repository, or none that has a commit: what was found until then counts.
  }
  return hashes;
}

/**
 * The newest version that a history leads through; null where it has none. A content that came more than once stands for
 * the first version after those before it: another one can be somebody else's, who went back to it.
 */
export function versionOn(
  history: readonly string[],
  versions: readonly Pick<VersionSummary, "n" | "contentHash">[],
): number | null {
  let reached: number | null = null;
  for (const hash of history.toReversed())
    reached = versions.findLast((one) => one.contentHash === hash && one.n >= (reached ?? 0))?.n ?? reached;
  return reached;
}

/** Whether git has a part of its history alone, as in a checkout for CI. */
export async function isShallow(folder: string): Promise<boolean> {
  try {
    const answer = await git(placeInGit(folder).root, ["rev-parse", "--is-shallow-repository"]);
    return answer.toString().trim() === "true";
  } catch {
    return false;
  }
}

/** A file in a commit. */
interface Entry {
  path: string;
  mode: string;
  blob: string;
}

/** Most often the first commits tell already. */
const atOnce = 5;

/** By the length of the ids in a repository, the tree in which git has nothing, whether it was written or not. */
const emptyTrees: Record<number, string> = {
  40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
};

/** Two trees, or a file that only the second has: with its mode, blob and path. Some versions of git end trees with a NUL. */
const diffTreeOutput = /[0-9a-f]+ [0-9a-f]+[\n\0]|:\d+ (\d+) \w+ (\w+) A\0([^\0]*)\0/gy;

/** The files of a folder in each of many trees, as that in which they differ from nothing: in one process. */
async function filesIn(
  { root, inside }: ReturnType<typeof placeInGit>,
  trees: readonly string[],
): Promise<Entry[][]> {
  const pairs = trees.map((tree) => `${emptyTrees[tree.length]} ${tree}\n`).join("");
  const relative = inside === "." ? [] : [`--relative=${inside}/`];
  const listed = await git(root, ["diff-tree", "--stdin", "-r", "-z", ...relative, "--", inside], pairs);
  const found: Entry[][] = [];
  for (const [, mode, blob = "", path = ""] of listed.toString().matchAll(diffTreeOutput)) {
    if (mode === undefined) found.push([]);
    // What is part of another repository is in no version.
    else if (mode !== "160000") found.at(-1)?.push({ mode, blob, path });
  }
  return found;
}

/** Those that a push takes: what stays behind today was in no version either. */
function takenFrom(folder: string, entries: readonly Entry[]): Entry[] {
  const taken = takenOf(entries.map(({ path }) => path));
  const selection = createSelection([folder]);
  return entries.filter(({ path }) => taken.has(path) && !selection.leavesOut(folder, path));
}

const inputOf = ({ path, mode, blob }: Entry, blobs: ReadonlyMap<string, Buffer>): FileInput =>
  toInput(path, blobs.get(blob) ?? Buffer.alloc(0), Number.parseInt(mode, 8));

/** Reads those that are not known yet. */
async function readBlobs(root: string, entries: readonly Entry[], blobs: Map<string, Buffer>): Promise<void> {
  const missing = [...new Set(entries.map(({ blob }) => blob))].filter((blob) => !blobs.has(blob));
  if (missing.length === 0) return;
  const read = await git(root, ["cat-file", "--batch"], `${missing.join("\n")}\n`);
  let at = 0;
  for (const blob of missing) {
    // `<id> blob <size>`, the bytes, and a line feed.
    const start = read.indexOf("\n", at) + 1;
    const size = Number(read.toString("latin1", at, start).split(" ")[2]);
    if (Number.isNaN(size)) throw new Error(`git lacks ${blob}`);
    blobs.set(blob, read.subarray(start, start + size));
    at = start + size + 1;
  }
}
