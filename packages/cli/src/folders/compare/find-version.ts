import type { VersionSummary } from "@promptreg/client";
import type { Client } from "../../requests/client.ts";
import { addressOf } from "../../prompts/index.ts";
import type { Remote } from "./remote.ts";

/** Where a prompt is; its former names lead there too. */
export type Place = Pick<Remote, "owner" | "slug">;

const inOnePage = { limit: 100 };

/** The newest versions of a prompt, the newest first; to its owner yanked ones too. */
export const newestVersions = async (client: Client, remote: Place): Promise<VersionSummary[]> =>
  (await client.prompts.versions.list({ ...addressOf(remote), query: inOnePage })).items;

/** Finds the newest version of a prompt that has just this content, however old; null where none has. */
export async function findVersion(
  client: Client,
  remote: Place,
  contentHash: string,
): Promise<VersionSummary | null> {
  for await (const version of client.prompts.versions.list({ ...addressOf(remote), query: inOnePage }))
    if (version.contentHash === contentHash) return version;
  return null;
}
