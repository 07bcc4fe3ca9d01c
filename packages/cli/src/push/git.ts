import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

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

/**
 * Asks git about a folder; only what reads. Nothing that a repository configures is run for it, since somebody else may
 * have made it.
 */
export async function git(folder: string, args: readonly string[]): Promise<Buffer> {
  const env: NodeJS.ProcessEnv = { ...process.env, GIT_OPTIONAL_LOCKS: "0" };
  for (const name of elsewhere) delete env[name];
  const { stdout } = await run("git", ["-c", "core.fsmonitor=false", ...args], {
    cwd: folder,
    env,
    encoding: "buffer",
    maxBuffer: 256 * 1024 * 1024,
  });
  return stdout;
}
