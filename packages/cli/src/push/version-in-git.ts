import type { Client } from "@promptreg/client";
import { checkFiles, contentHash, type FileInput } from "@promptreg/core/content";
import { takenOf, toInput } from "./folder.ts";
import { git } from "./git.ts";
import type { Address } from "./remote.ts";
import { createSelection } from "./selection.ts";

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
  const lines = (await git(folder, ["ls-tree", "-r", "-z", commit, "."])).toString().split("\0");
  const blobs = lines.flatMap((line) => {
    const [, mode = "", blob = "", path = ""] = /^(\d+) blob (\w+)\t(.*)$/s.exec(line) ?? [];
    return path === "" ? [] : [{ path, mode: Number.parseInt(mode, 8), blob }];
  });
  const taken = takenOf(blobs.map(({ path }) => path));
  const selection = createSelection([folder]);
  const files: FileInput[] = [];
  for (const { path, mode, blob } of blobs)
    if (taken.has(path) && !selection.leavesOut(folder, path))
      files.push(toInput(path, await git(folder, ["cat-file", "blob", blob]), mode));
  return files;
}
