import type { ApiError } from "@promptreg/core/errors";
import { parseRef, type PromptAddress } from "@promptreg/core/refs";
import type { Client } from "../requests/client.ts";
import { type FoundVersion, lockedOf } from "./find-version.ts";

/** From how many prompts of an owner on a list is worth it. Each of its pages has to spare as many requests. */
const fewest = 5;

/** An owner's prompts with one label, by slug. */
interface Group {
  owner: string;
  label: string;
  /** The addresses as they are in a lockfile. */
  refs: Map<string, string>;
}

/**
 * Gets what labels point to, by a list where many are of one owner: a hundred with each request. What it does not have has to be asked
 * for alone: a list shows of others what is public, and an older registry has no such list.
 */
export async function findListed(
  client: Client,
  refs: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, FoundVersion>> {
  const found = new Map<string, FoundVersion>();
  const groups = groupsOf(refs).filter(({ refs }) => refs.size >= fewest);
  const me = groups.length > 0 && (await client.users.me.get({}, { signal }).catch(() => undefined));
  for (const group of groups) {
    const owner = me && me.handle === group.owner ? "me" : group.owner;
    try {
      await readGroup(client, { ...group, asked: owner, signal }, found);
    } catch (error) {
      if ((error as Partial<ApiError>).code !== "validation_failed") throw error;
    }
  }
  return found;
}

function groupsOf(refs: readonly string[]): Group[] {
  const groups = new Map<string, Group>();
  for (const ref of refs) {
    const { owner, slug, label, version }: PromptAddress = parseRef(ref);
    if (version !== undefined || label === undefined) continue;
    const key = `${owner}@${label}`;
    const group = groups.get(key) ?? { owner, label, refs: new Map<string, string>() };
    groups.set(key, group);
    group.refs.set(slug, ref);
  }
  return [...groups.values()];
}

async function readGroup(
  client: Client,
  { owner, label, refs, asked, signal }: Group & { asked: string; signal: AbortSignal | undefined },
  found: Map<string, FoundVersion>,
): Promise<void> {
  const mostPages = Math.ceil(refs.size / fewest);
  let cursor: string | undefined;
  for (let page = 0; page < mostPages && refs.size > 0; page += 1) {
    const query = { owner: asked, label, view: "version" as const, limit: 100, cursor };
    const { items, nextCursor } = await client.prompts.list({ query }, { signal });
    for (const { ref, yanked, version } of items) {
      const slug = ref.slice(ref.indexOf("/") + 1);
      const at = ref === `${owner}/${slug}` ? refs.get(slug) : undefined;
      if (at !== undefined) found.set(at, { ref, locked: lockedOf(version, yanked) });
      refs.delete(slug);
    }
    if (nextCursor === null) return;
    cursor = nextCursor;
  }
}
