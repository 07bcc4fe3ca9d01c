import type { OperationId, OperationOf, Page } from "@promptreg/core";
import { ApiError } from "@promptreg/core/errors";
import type { Result } from "./methods.ts";

type ListId = {
  [Id in OperationId]: Result<OperationOf<Id>> extends Page<unknown> ? Id : never;
}[OperationId];

/** The operations that answer with a page of a list. One that is missing here, or too many, does not compile. */
export const lists: Readonly<Record<string, true>> = {
  "prompts.list": true,
  "prompts.versions.list": true,
  "prompts.labels.list": true,
  "prompts.labels.history": true,
  "webhooks.list": true,
  "webhooks.events": true,
  "webhooks.deliveries.list": true,
  "evals.runs.list": true,
  "evals.runs.results": true,
  "watch.list": true,
  "notifications.list": true,
} satisfies Record<ListId, true>;

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
