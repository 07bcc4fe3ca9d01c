import type { Output } from "../output.ts";

const atOnce = 8;

/**
 * Does something for each of a list, eight beside each other, and shows how far it is. The first failure ends the others,
 * by the signal they are given. In the order of the list.
 */
export async function forEach<T, R>(
  output: Output,
  what: string,
  items: readonly T[],
  work: (item: T, signal: AbortSignal) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let done = 0;
  const end = new AbortController();
  const progress = output.progress(() => `${what}: ${done} of ${items.length}`);
  const left = items.entries();
  const workOff = async () => {
    for (const [index, item] of left) {
      results[index] = await work(item, end.signal);
      done += 1;
      if (end.signal.aborted) break;
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, workOff));
  } finally {
    end.abort();
    progress.end();
  }
  return results;
}
