import type { Client, VersionSummary } from "@promptreg/client";
import { parseRef } from "@promptreg/core/refs";

/** Finds the newest version of a prompt that has just this content; null where none has. */
export async function findVersion(
  client: Client,
  ref: string,
  contentHash: string,
): Promise<VersionSummary | null> {
  const { owner, slug } = parseRef(ref);
  for await (const version of client.prompts.versions.list({ owner, slug, query: { limit: 100 } }))
    if (version.contentHash === contentHash) return version;
  return null;
}
