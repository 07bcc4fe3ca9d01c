import { realpathSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { UsageError } from "../../errors.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { git, placeInGit, withoutFilters } from "./git.ts";

/** Those of the folders in which git sees a change since a revision, uncommitted and new files included. */
export async function changedSince(folders: readonly string[], revision: string): Promise<string[]> {
  const [first] = folders;
  if (first === undefined) return [];
  const { root } = inGit(first);
  const stray = folders.find((folder) => isOutside(relative(root, realpathSync(folder))));
  if (stray !== undefined) throw new UsageError(`${stray} is not in the same git repository as ${first}.`);
  const named = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`];
  const commit = (await ask(git(root, named), unknownRevision(revision))).trim();
  const changed = await ask(compare(root, commit));
  const untracked = await ask(git(root, ["ls-files", "--others", "--exclude-standard", "-z"]));
  const touched = new Set<string>();
  const paths = `${changed}${untracked}`.split("\0").filter(Boolean);
  for (const path of paths) {
    touched.add(resolve(root, path));
    for (let folder = dirname(resolve(root, path)); !touched.has(folder); folder = dirname(folder))
      touched.add(folder);
  }
  const isTouched = async (folder: string) => {
    const place = realpathSync(folder);
    if (touched.has(place)) return true;
    const { source } = await readManifest(folder).catch((): Partial<Manifest> => ({}));
    return source !== undefined && touched.has(resolve(place, source));
  };
  const found = await Promise.all(folders.map(async (folder) => ((await isTouched(folder)) ? [folder] : [])));
  return found.flat();
}

const isOutside = (path: string) => path.split(sep)[0] === ".." || isAbsolute(path);
const unknownRevision = (revision: string) =>
  `Unknown commit ${revision}. In a shallow clone, fetch it first.`;

function inGit(folder: string) {
  try {
    return placeInGit(folder);
  } catch {
    throw new UsageError(`${folder} is not in a git repository. --changed-since needs one.`);
  }
}

/** Without its filters, which are commands, git takes more files for changed than with them: then the registry's are compared. */
async function compare(root: string, commit: string): Promise<Buffer> {
  const options = [
    "--name-only",
    "--no-renames",
    "--no-ext-diff",
    "--ignore-submodules=all",
    "--relative",
    "-z",
  ];
  return git(root, [...(await withoutFilters(root)), "diff", ...options, commit, "--"]);
}

async function ask(answer: Promise<Buffer>, refused?: string): Promise<string> {
  try {
    return (await answer).toString();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new UsageError("--changed-since needs git, which is not installed.");
    throw new UsageError(refused ?? `git failed: ${message}`);
  }
}
