import type { LockedPrompt } from "@promptreg/client";
import { checkFiles, contentHash } from "@promptreg/core/content";
import { parseRef } from "@promptreg/core/refs";
import type { Prompts } from "./lockfile.ts";
import type { Checked } from "./report.ts";

/** Checks each of what is locked, by that alone. */
export async function checkLocked(prompts: Prompts): Promise<Checked[]> {
  const checked: Checked[] = [];
  for (const [ref, locked] of Object.entries(prompts)) {
    const { version, contentHash } = locked;
    checked.push({ ref, version, contentHash, problem: (await faultOf(ref, locked)) ?? null });
  }
  return checked;
}

/** Says what does not hold of a locked prompt, by what is locked alone; undefined where all of it does. */
export async function faultOf(ref: string, locked: LockedPrompt): Promise<string | undefined> {
  const { version } = parseRef(ref);
  if (version !== undefined && version !== locked.version)
    return `It is locked at version ${locked.version}, but its address names another version.`;
  if (!locked.files.some(({ path }) => path === locked.entry))
    return `Its entry file ${locked.entry} is missing.`;
  const { files, problems } = await checkFiles(locked.files);
  const [problem] = problems;
  if (problem) return problem.message;
  const digest = await contentHash(files);
  return digest === locked.contentHash
    ? undefined
    : `Its files do not match its digest: they give ${short(digest)}, not ${short(locked.contentHash)}.`;
}

/** Enough of a digest to tell two apart. */
const short = (digest: string): string => digest.slice(0, "sha256:".length + 12);
