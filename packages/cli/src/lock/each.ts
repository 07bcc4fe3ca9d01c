import type { Output } from "../output.ts";

const atOnce = 8;

/** Does something for each of a list, eight beside each other, and shows how far it is. In the order of the list. */
export async function forEach<T, R>(
  output: Output,
  what: string,
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let done = 0;
  const progress = output.progress(() => `${what}: ${done} of ${items.length}`);
  const left = items.entries();
  let isOver = false;
  const workOff = async () => {
    for (const [index, item] of left) {
      if (isOver) break;
      results[index] = await work(item);
      done += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: atOnce }, workOff));
  } finally {
    isOver = true;
    progress.end();
  }
  return results;
}
