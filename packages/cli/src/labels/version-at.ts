import type { ResolvedVersion, Version } from "@promptreg/client";
import type { Client } from "../requests/client.ts";

/** Gets a version with whether it was yanked, which the version itself does not know. */
export const versionAt = async (
  client: Client,
  address: { owner: string; slug: string },
  version: number,
): Promise<{ version: Version; yanked: boolean }> =>
  // A version that was asked for by its number is there, or is answered with 404.
  (await client.prompts.get({ ...address, query: { version, view: "version" } })) as ResolvedVersion & {
    version: Version;
  };
