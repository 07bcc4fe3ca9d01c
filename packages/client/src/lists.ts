import type { Page } from "@promptreg/core";

/** How a list goes on. */
interface Listing {
  /** The cursor of the first page. */
  start: unknown;
  next: (cursor: string) => PromiseLike<unknown>;
  unexpected: (message: string) => Error;
}

/** The items of a page and of all pages after it. A page is requested when the one before it is used up. */
export async function* eachItem(
  first: PromiseLike<unknown>,
  { start, next, unexpected }: Listing,
): AsyncGenerator<unknown, void, undefined> {
  const seen = new Set<unknown>([start]);
  for (let asked = first; ; ) {
    const { items, nextCursor } = ((await asked) ?? {}) as Partial<Page<unknown>>;
    if (!Array.isArray(items)) throw unexpected("The response is not a page of a list. Check the address.");
    yield* items;
    if (!nextCursor) return;
    if (seen.has(nextCursor))
      throw unexpected("The list never ends: the server sent the same nextCursor twice.");
    seen.add(nextCursor);
    asked = next(nextCursor);
  }
}
