import type { ListedVersion, Page, PromptSummary } from "@promptreg/core";
import type { CacheParts } from "./parts.ts";
import type { Target } from "./content.ts";
import { type Owned, type OwnedRequest, ownerFor, requestOwned, type Sender } from "./owned.ts";
import type { entryOf, isVersion } from "./read.ts";

const atOnce = 10;

/** What is passed in, as the sender is. */
interface Parts extends Sender {
  /** Gets a prompt through the cache. */
  load: (ref: string) => Promise<unknown>;
  entryOf: typeof entryOf;
  isVersion: typeof isVersion;
  unexpected: (response: Response) => Error;
  targetOf: (ref: string, which: { label?: string }) => Target;
}

/**
 * Loads prompts into the cache, or what a label points to for all prompts of an owner.
 * @throws {AggregateError} with every failure.
 */
export async function warmUp(
  cache: CacheParts,
  prompts: readonly string[] | { owner: string; label?: string },
  parts: Parts,
): Promise<void> {
  if (!("owner" in prompts)) return loadAll(prompts, parts, () => true);
  const { owner, label = "latest" } = prompts;
  parts.targetOf(`${owner}/x`, { label });
  // Not every prompt of an owner has the label.
  const isFailure = (error: unknown) => (error as { status?: unknown }).status !== 404;
  await loadAll(await loadOwned(cache, { owner, label }, parts), parts, isFailure);
}

/** Loads prompts one by one, some at a time. */
async function loadAll(
  refs: readonly string[],
  { load, targetOf }: Parts,
  isFailure: (error: unknown) => boolean,
): Promise<void> {
  for (const ref of refs) targetOf(ref, {});
  const left = refs.values();
  const errors: unknown[] = [];
  const work = async () => {
    for (const ref of left) {
      await load(ref).catch((error: unknown) => {
        if (isFailure(error)) errors.push(error);
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (errors.length > 0)
    throw new AggregateError(errors, `${errors.length} of ${refs.length} prompts could not be loaded.`);
}

/**
 * Loads a hundred prompts with each request.
 * @returns the addresses that an older registry has to be asked for one by one.
 */
async function loadOwned(
  { memory, onResult }: CacheParts,
  { owner, label }: Owned,
  { entryOf, isVersion, unexpected, targetOf, ...sender }: Parts,
): Promise<string[]> {
  const asked = await ownerFor(sender, owner);
  try {
    for await (const { item, startedAt } of itemsOf<ListedVersion>("version")) {
      if (typeof item?.ref !== "string" || typeof item.etag !== "string" || !isVersion(item.version))
        continue;
      const target = targetOf(`${owner}/${item.ref.split("/")[1]}`, { label });
      const stored = memory.get(target.key);
      // Another request may have been answered meanwhile.
      if (stored === undefined || stored.entry.confirmedAt < startedAt)
        onResult(target, { entry: entryOf(item, startedAt) });
    }
    return [];
  } catch (error) {
    if ((error as { code?: unknown }).code !== "validation_failed") throw error;
  }
  const refs: string[] = [];
  for await (const { item } of itemsOf<PromptSummary>("summary")) refs.push(`${owner}/${item.slug}@${label}`);
  return refs;

  async function* itemsOf<T>(view: OwnedRequest["view"]): AsyncGenerator<{ item: T; startedAt: number }> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const startedAt = Date.now();
      const { data, response } = await requestOwned(sender, { owner: asked, label }, { view, cursor });
      const { items, nextCursor = null } = (data ?? {}) as Partial<Page<T>>;
      if (!Array.isArray(items) || nextCursor === cursor) throw unexpected(response);
      for (const item of items) yield { item, startedAt };
      cursor = nextCursor;
    }
  }
}
