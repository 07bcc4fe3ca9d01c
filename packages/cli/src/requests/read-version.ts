import type { Prompt, Version } from "@promptreg/client";
import type { Client } from "./client.ts";
import { type CheckedFile, checkFiles, contentHash } from "@promptreg/core/content";
import { parseRef, type PromptAddress } from "@promptreg/core/refs";
import { CheckError, InputError } from "../errors.ts";
import { withoutVersion } from "./without-version.ts";

/** A prompt at a version, as it is to be written; its files have passed the rules, and are those that were hashed. */
export interface ReadVersion {
  prompt: Prompt;
  version: Version;
  files: CheckedFile[];
}

/** Reads a version from the registry. Nothing it sends is trusted: a path could lead out of the folder. */
export async function readVersion(
  client: Client,
  { owner, slug, ...which }: PromptAddress,
): Promise<ReadVersion> {
  const prompt = await client.prompts.get({ owner, slug, query: which });
  checkSentRef(prompt.ref, prompt.slug);
  return { prompt, ...(await checkVersion(prompt)) };
}

/**
 * Checks what the registry sent as a version.
 * @throws {ApiError} `not_found` if there is none; {CheckError} for what no registry would send.
 */
export async function checkVersion({
  ref,
  version,
}: Pick<Prompt, "ref" | "version">): Promise<Omit<ReadVersion, "prompt">> {
  if (version === null) throw withoutVersion(ref);
  const sent = version.files.map(({ path, content = "", encoding, mode }) => ({
    path,
    content,
    encoding,
    mode,
  }));
  const { files, problems } = await checkFiles(sent);
  const details = problems.map(({ message }) => ({ path: "", message }));
  if (details.length > 0) throw new InputError(`${ref} contains files that cannot be written.`, details);
  if ((await contentHash(files)) !== version.contentHash)
    throw new CheckError(`The files of ${ref} do not match their content hash. Nothing was written.`);
  return { version, files };
}

/**
 * Folders and files are named after it.
 * @throws {CheckError} for what is no address of a prompt.
 */
export function checkSentRef(ref: string, slug?: string): void {
  try {
    const found = parseRef(ref);
    const isPrompt = found.version === undefined && found.label === undefined;
    if (isPrompt && (slug === undefined || found.slug === slug)) return;
  } catch {
    // It is said below.
  }
  throw new CheckError(`The registry sent an invalid address: ${JSON.stringify(ref)}.`);
}
