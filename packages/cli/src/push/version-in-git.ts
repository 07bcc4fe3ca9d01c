import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Client } from "@promptreg/client";
import { checkFiles, contentHash, type FileInput } from "@promptreg/core/content";
import { isLeftBehind, toInput } from "./folder.ts";
import type { Address } from "./remote.ts";

const run = promisify(execFile);

/** Whoever changed a folder so often without pushing it has to compare it themselves. */
const commitsRead = 10;

/**
 * The version from which a folder was changed: the one that it was when it was last committed as some version. Nothing
 * but git keeps that; null where there is no git, or no such commit among the last.
 */
export async function versionInGit(client: Client, folder: string, address: Address): Promise<number | null> {
  const versions = new Map<string, number>();
  const { items } = await client.prompts.versions.list({ ...address, query: { limit: 100 } });
  for (const { n, contentHash } of items) if (!versions.has(contentHash)) versions.set(contentHash, n);
  try {
    const log = await git(folder, ["log", `--max-count=${commitsRead}`, "--format=%H", "--", "."]);
    for (const commit of log.toString().split("\n").filter(Boolean)) {
      const { files } = await checkFiles(await filesAt(folder, commit));
      const version = versions.get(await contentHash(files));
      if (version !== undefined) return version;
    }
  } catch {
    // No git, no repository, or none that has a commit: then nobody knows.
  }
  return null;
}

async function filesAt(folder: string, commit: string): Promise<FileInput[]> {
  const listed = await git(folder, ["ls-tree", "-r", "-z", commit, "."]);
  const files: FileInput[] = [];
  for (const line of listed.toString().split("\0").filter(Boolean)) {
    const [, mode = "", blob = "", path = ""] = /^(\d+) blob (\w+)\t(.*)$/s.exec(line) ?? [];
    if (path === "" || isLeftBehind(path)) continue;
    files.push(toInput(path, await git(folder, ["cat-file", "blob", blob]), Number.parseInt(mode, 8)));
  }
  return files;
}

async function git(folder: string, args: string[]): Promise<Buffer> {
  const { stdout } = await run("git", args, { cwd: folder, encoding: "buffer", maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}
