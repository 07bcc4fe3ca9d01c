import { parseRef } from "@promptreg/core/refs";
import type { Client } from "../../requests/client.ts";
import { stateOf } from "../local/state.ts";
import type { StatePlace } from "../local/state-file.ts";
import type { Remote } from "./remote.ts";

/** What a fork was made from, the version of it that was merged last, and its newest. */
export interface NewerSource {
  ref: string;
  merged: number;
  latest: number;
}

/** The source of a fork, if it has a newer version than was merged into the folder; null otherwise. Asks of forks alone. */
export async function newerSource(
  client: Client,
  local: StatePlace,
  { id, forkedFrom }: Remote,
  origin: string,
): Promise<NewerSource | null> {
  if (!forkedFrom) return null;
  const { ref, versionNumber } = forkedFrom;
  const { owner, slug } = parseRef(ref);
  const { items } = await client.prompts.versions.list({ owner, slug, query: { limit: 100 } });
  const latest = items.find(({ yanked }) => yanked === null)?.n ?? 0;
  const merged = (await stateOf(local, origin, { id }))?.source?.version ?? versionNumber;
  return latest > merged ? { ref, merged, latest } : null;
}
