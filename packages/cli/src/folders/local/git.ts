import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { pathFromTo } from "../../disk/places.ts";
import { rootOf } from "../../disk/work-tree.ts";

/** Variables by which git takes another place than the folder that it is called in, or reads paths as patterns: hooks of git's set them. */
const elsewhere = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_COMMON_DIR",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_NAMESPACE",
  "GIT_PREFIX",
  "GIT_GLOB_PATHSPECS",
  "GIT_NOGLOB_PATHSPECS",
  "GIT_ICASE_PATHSPECS",
];

/** Nothing is written, fetched or asked for, over no protocol, for commands come with those too; paths are no patterns. */
const quiet = {
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_TERMINAL_PROMPT: "0",
  GIT_LITERAL_PATHSPECS: "1",
};

/** What goes before all that a repository configures; a folder that only looks like a repository is none. */
const settings = ["core.fsmonitor=false", "core.hooksPath=/dev/null", "safe.bareRepository=explicit"];

/** In a history of a million commits: then git says nothing. */
const timeout = 10_000;

/**
 * Asks git about a work tree, at its root; only what reads. Nothing that the repository configures is run for it, since
 * somebody else may have made it: what compares files with those on the disk needs `withoutFilters` too.
 * @param root as `rootOf` finds it: git itself would take a folder below for a repository that looks like one.
 * @param stdin what it reads there.
 */
export function git(root: string, args: readonly string[], stdin = ""): Promise<Buffer> {
  const env: NodeJS.ProcessEnv = { ...process.env, ...quiet, GIT_CEILING_DIRECTORIES: dirname(root) };
  for (const name of elsewhere) delete env[name];
  // Windows would take a git.exe that lies in the folder.
  process.env["NoDefaultCurrentDirectoryInExePath"] = "1";
  const options = { cwd: root, env, timeout, encoding: "buffer", maxBuffer: 256 * 1024 * 1024 } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(
      "git",
      [...settings.flatMap((setting) => ["-c", setting]), ...args],
      options,
      (error, stdout, stderr) => (error ? reject(Object.assign(error, { stderr })) : resolve(stdout)),
    );
    // It may end before it has read all.
    child.stdin?.on("error", () => {});
    child.stdin?.end(stdin);
  });
}

/** Arguments that go before a command's name, so that no filter runs on the files of a repository. */
export async function withoutFilters(root: string): Promise<string[]> {
  const listed = await git(root, ["config", "-z", "--name-only", "--get-regexp", "^filter\\."]).catch(
    (error) => {
      // There is none.
      if (error.code === 1) return "";
      throw error;
    },
  );
  const keys = listed.toString().split("\0").filter(Boolean);
  const odd = keys.find((key) => key.includes("="));
  if (odd !== undefined) throw new Error(`${odd} cannot be turned off`);
  return [...new Set(keys)].flatMap((key) => ["-c", `${key}=`]);
}

/**
 * The root of the work tree that a folder is in, and the way from there, as git writes it.
 * @throws {Error} where it is in none.
 */
export function placeInGit(folder: string): { root: string; inside: string } {
  const place = realpathSync(folder);
  const root = rootOf(place);
  if (root === null) throw new Error(`${folder} is in no git repository`);
  return { root, inside: pathFrom(root, place) };
}

/** The way to a place in a work tree, as git writes it. */
export const pathFrom = (root: string, place: string): string => pathFromTo(root, place) || ".";
