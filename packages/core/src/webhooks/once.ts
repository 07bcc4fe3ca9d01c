import { isText } from "./body.ts";
import { demand } from "./error.ts";

type Mark = string | null | undefined;

/** Where `once` keeps what became of each event, by its id: a Map, Redis, or a table. */
export interface EventStore {
  /**
   * Gives the mark of an event, and in the same step marks one that has none as "begun" for so many seconds: a
   * process that dies leaves its mark behind, and the event must not be lost with it.
   */
  begin(id: string, seconds: number): Mark | PromiseLike<Mark>;
  /** Marks an event as "handled", for the 60 days in which it can come again, or takes its mark away. */
  end(id: string, isHandled: boolean): unknown;
}

/** Less than the minute until the first retry: by then, what a crash left has run out. */
const beginSeconds = 50;

/**
 * Handles an event unless it was handled before, and resolves to whether it did: answer 2xx either way. When
 * `handle` fails, so does this, and the event may come again; while another one is at it, this rejects with
 * `statusCode` 503, so that the sender comes back. A crash, or a `handle` that takes longer than a mark lasts, has it
 * handled twice rather than never.
 */
export async function once<E extends { readonly id: string }>(
  event: E,
  store: EventStore,
  handle: (event: E) => unknown,
): Promise<boolean> {
  refuseMistakes(event, store, handle);
  const mark = await store.begin(event.id, beginSeconds);
  if (mark === "handled") return false;
  if (mark) {
    throw Object.assign(new Error(`${event.id} is under way elsewhere: answer 503, and it comes again.`), {
      statusCode: 503,
    });
  }
  try {
    await handle(event);
  } catch (error) {
    try {
      await store.end(event.id, false);
    } catch {
      // The mark runs out by itself; what is told is what went wrong first.
    }
    throw error;
  }
  await store.end(event.id, true);
  return true;
}

/** Without an id, all events would share a mark: the first would be handled, and every other one be lost. */
function refuseMistakes(event: { readonly id: string }, store: EventStore, handle: unknown): void {
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
