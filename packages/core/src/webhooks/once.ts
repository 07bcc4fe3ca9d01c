import { isText } from "./body.ts";
import { demand } from "./error.ts";

type Mark = string | null | undefined;

/** Where `once` stores the state of each event, by its id: a Map, Redis, or a table. */
export interface EventStore {
  /**
   * Returns the mark of an event. If it has none, marks it as "begun" for so many seconds in the same atomic step. The mark
   * expires, so that the event is not lost if the process dies.
   */
  begin(id: string, seconds: number): Mark | PromiseLike<Mark>;
  /** Marks an event as "handled" for 60 days, in which it can be redelivered. Or removes its mark. */
  end(id: string, isHandled: boolean): unknown;
}

/** Less than the minute until the first retry: by then, the mark of a crashed process has expired. */
const beginSeconds = 50;

/**
 * Handles an event unless it was handled before, and resolves to whether it did. Respond with 2xx in both cases. If `handle`
 * fails, this rejects, and the event can be retried. While another process handles the event, this rejects with `statusCode`
 * 503, so that the sender retries. After a crash, or if `handle` takes longer than the mark lasts, an event is handled twice
 * rather than never.
 */
export async function once<E extends { readonly id: string }>(
  event: E,
  store: EventStore,
  handle: (event: E) => unknown,
): Promise<boolean> {
  checkArguments(event, store, handle);
  const mark = await store.begin(event.id, beginSeconds);
  if (mark === "handled") return false;
  if (mark) {
    throw Object.assign(new Error(`${event.id} is being handled elsewhere. Respond with 503 for a retry.`), {
      statusCode: 503,
    });
  }
  try {
    await handle(event);
  } catch (error) {
    try {
      await store.end(event.id, false);
    } catch {
      // The mark expires by itself. The first error is thrown.
    }
    throw error;
  }
  await store.end(event.id, true);
  return true;
}

/** Without an id, all events would share a mark: only the first would be handled. */
function checkArguments(event: { readonly id: string }, store: EventStore, handle: unknown): void {
  demand(
    () =>
      isText(event.id) &&
      event.id !== "" &&
      typeof store.begin === "function" &&
      typeof store.end === "function" &&
      typeof handle === "function",
    "invalid_option",
    () => "once takes an event with its id, a store with begin and end, and a function.",
  );
}
