import type { LockedPrompt, Version } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import type { PromptAddress } from "@promptreg/core/refs";
import { type Caller, missing } from "../requests/unseen.ts";
import { withoutVersion } from "../requests/without-version.ts";

/** What the registry has at an address: a version to lock, or the reason why there is none. */
export type FoundVersion =
  | { ref: string; locked: LockedPrompt; refusal?: undefined }
  | { refusal: string; code: string };

/** Gets the version at an address; without a version or a label, the latest. All but absence is thrown. */
export async function findVersion(
  client: Client,
  caller: Caller,
  { owner, slug, version, label }: PromptAddress,
  signal: AbortSignal,
): Promise<FoundVersion> {
  const which = version === undefined ? (label === "latest" ? {} : { label }) : { version };
  try {
    const found = await client.prompts.get({ owner, slug, query: { ...which, view: "version" } }, { signal });
    if (found.version === null) throw withoutVersion(found.ref);
    return { ref: found.ref, locked: lockedOf(found.version, found.yanked) };
  } catch (error) {
    const { message, code } = await missing(error, caller, `${owner}/${slug}`);
    return { refusal: message, code };
  }
}

/** What was found, if it is this version: a label may point to another one by now. */
export const atVersion = (found: FoundVersion | undefined, version: number): FoundVersion | undefined =>
  found?.refusal === undefined && found?.locked.version === version ? found : undefined;

/** What is kept of a version: nothing that can be worked out from its files. */
export const lockedOf = (
  { n, contentHash, entry, files, variables, config }: Version,
  yanked: boolean,
): LockedPrompt => ({
  version: n,
  ...(yanked && { yanked }),
  contentHash,
  entry,
  variables,
  config,
  files: files.map(({ path, mode, encoding, content = "" }) => ({ path, mode, encoding, content })),
});
