import type { Page } from "@promptreg/core";
import { ApiError } from "@promptreg/core/errors";

/** The items of a page and of all that follow, each of which is asked for when the one before it is used up. */
export async function* eachItem(
  first: PromiseLike<unknown>,
  start: unknown,
  next: (cursor: string) => PromiseLike<unknown>,
): AsyncGenerator<unknown, void, undefined> {
  const seen = new Set<unknown>([start]);
  for (let asked = first; ; ) {
    const { items, nextCursor } = (await asked) as Page<unknown>;
    yield* items;
    if (!nextCursor) return;
    if (seen.has(nextCursor)) {
      const message = "The list goes in circles: the server gave the same nextCursor twice.";
      throw new ApiError({ code: "unexpected_response", status: 200, message });
    }
    seen.add(nextCursor);
    asked = next(nextCursor);
  }
}
