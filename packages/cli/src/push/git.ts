import { execFile } from "node:child_process";

/** Variables by which git takes another place than the folder that it is called in: hooks of git's set them. */
const elsewhere = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_COMMON_DIR",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_NAMESPACE",
  "GIT_PREFIX",
];

/** In a history of a million commits: then git says nothing. */
const timeout = 10_000;

/**
 * Asks git about a folder; only what reads. Nothing that a repository configures is run for it, since somebody else may
 * have made it.
 * @param stdin what it reads there.
 */
export function git(folder: string, args: readonly string[], stdin = ""): Promise<Buffer> {
  const env: NodeJS.ProcessEnv = { ...process.env, GIT_OPTIONAL_LOCKS: "0" };
  for (const name of elsewhere) delete env[name];
  const options = { cwd: folder, env, timeout, encoding: "buffer", maxBuffer: 256 * 1024 * 1024 } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(
      "git",
      ["-c", "core.fsmonitor=false", ...args],
      options,
      (error, stdout, stderr) => (error ? reject(Object.assign(error, { stderr })) : resolve(stdout)),
    );
    // It may end before it has read all.
    child.stdin?.on("error", () => {});
    child.stdin?.end(stdin);
  });
}
