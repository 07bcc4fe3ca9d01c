import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { UsageError } from "../errors.ts";
import { git } from "./git.ts";

/** Those of the folders in which git sees a change since a revision, uncommitted and new files included. */
export async function changedSince(folders: readonly string[], revision: string): Promise<string[]> {
  const [first] = folders;
  if (first === undefined) return [];
  const root = (await ask(first, ["rev-parse", "--show-cdup"], notInRepository(first))).trim();
  const at = resolve(first, root);
  const stray = folders.find((folder) => isOutside(relative(at, resolve(folder))));
  if (stray !== undefined) throw new UsageError(`${stray} is not in the git repository of ${first}.`);
  const named = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`];
  const commit = (await ask(at, named, unknownRevision(revision))).trim();
  const changed = await ask(at, ["diff", "--name-only", "--no-renames", "-z", commit, "--"]);
  const untracked = await ask(at, ["ls-files", "--others", "--exclude-standard", "-z"]);
  const touched = new Set<string>();
  for (const path of `${changed}${untracked}`.split("\0").filter(Boolean)) {
    for (let folder = dirname(resolve(at, path)); !touched.has(folder); folder = dirname(folder))
      touched.add(folder);
  }
  return folders.filter((folder) => touched.has(resolve(folder)));
}

const isOutside = (path: string) => path.split(sep)[0] === ".." || isAbsolute(path);
const notInRepository = (folder: string) =>
  `${folder} is in no git repository, so that git cannot say what changed.`;
const unknownRevision = (revision: string) =>
  `git knows no commit ${revision}. A shallow clone may lack it: fetch it first.`;

async function ask(folder: string, args: string[], refused?: string): Promise<string> {
  try {
    return (await git(folder, args)).toString();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new UsageError("--changed-since asks git, which is not installed here.");
    throw new UsageError(refused ?? `git could not say what changed: ${message}`);
  }
}
