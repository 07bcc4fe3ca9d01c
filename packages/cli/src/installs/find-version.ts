import type { Client } from "../requests/client.ts";
import type { PromptAddress } from "@promptreg/core/refs";
import { checkSentRef } from "../requests/read-version.ts";
import { withoutVersion } from "../requests/without-version.ts";

/** Where an address leads now. */
export interface FoundVersion {
  /** Its address now, which may be another than was asked for. */
  ref: string;
  /** The prompt's. */
  id: string;
  version: number;
  isYanked: boolean;
}

/** Finds the version at an address; without a version or a label, the latest. */
export async function findVersion(
  client: Client,
  { owner, slug, version, label }: PromptAddress,
  signal: AbortSignal,
): Promise<FoundVersion> {
  const which = version === undefined ? (label === "latest" ? {} : { label }) : { version };
  const query = { ...which, view: "version" as const };
  const found = await client.prompts.get({ owner, slug, query }, { signal });
  if (found.version === null) throw withoutVersion(found.ref);
  checkSentRef(found.ref);
  const { n, promptId } = found.version;
  return { ref: found.ref, id: promptId, version: n, isYanked: found.yanked };
}

/** What was asked for, as the record has it. */
export const askedBy = ({ version, label = "latest" }: PromptAddress): string => String(version ?? label);
