import { eachConcurrently } from "./concurrently.ts";
import type { Output } from "../terminal/output.ts";

/**
 * Asks something for each item of a list, several at once, and shows progress. The first failure ends the
 * others, by the signal they are given. In the order of the list.
 */
export async function forEach<T, R>(
  output: Output,
  what: string,
  items: readonly T[],
  ask: (item: T, signal: AbortSignal) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let done = 0;
  const end = new AbortController();
  const progress = output.progress(() => `${what}: ${done} of ${items.length}`);
  try {
    await eachConcurrently(items, async (item, index) => {
      results[index] = await ask(item, end.signal).catch((error: unknown) => {
        end.abort();
        throw error;
      });
      done += 1;
    });
    return results;
  } finally {
    progress.end();
  }
}
