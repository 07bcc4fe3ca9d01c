import type { Client, Prompt, Version } from "@promptreg/client";
import { type CheckedFile, checkFiles, contentHash } from "@promptreg/core/content";
import type { PromptAddress } from "@promptreg/core/refs";
import { CheckError, InputError } from "../../errors.ts";
import { takenOf } from "../local/read-folder.ts";

/** A prompt at a version, as it is to be written; its files have passed the rules, and are those that were hashed. */
export interface PulledPrompt {
  prompt: Prompt;
  version: Version;
  files: CheckedFile[];
  /** Paths that a push would not take: they are not written. */
  leftOut: string[];
}

/**
 * Reads a version from the registry. Nothing it sends is trusted: a path could lead out of the folder.
 * @throws {CheckError} for what no registry would send.
 */
export async function readVersion(
  client: Client,
  { owner, slug, ...which }: PromptAddress,
): Promise<PulledPrompt> {
  // Only `view=version` would answer with less.
  const prompt = (await client.prompts.get({ owner, slug, query: which })) as Prompt;
  const { version } = prompt;
  if (version === null) throw new InputError(`${prompt.ref} has no version to pull.`);
  const sent = version.files.map(({ path, content = "", encoding, mode }) => ({
    path,
    content,
    encoding,
    mode,
  }));
  const { files, problems } = await checkFiles(sent);
  const details = problems.map(({ message }) => ({ path: "", message }));
  if (details.length > 0)
    throw new InputError(`${prompt.ref} contains files that cannot be written.`, details);
  if ((await contentHash(files)) !== version.contentHash)
    throw new CheckError(`The files of ${prompt.ref} do not match their content hash. Nothing was written.`);
  const taken = takenOf(files.map(({ path }) => path));
  const isKept = ({ path }: CheckedFile) => taken.has(path);
  const leftOut = files.filter((file) => !isKept(file)).map(({ path }) => path);
  return { prompt, version, files: files.filter(isKept), leftOut };
}
