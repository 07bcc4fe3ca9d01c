const mostAtOnce = 8;

/**
 * Works on many things, eight at once. After a failure, or once the signal is aborted, no new work starts; work that has
 * started ends.
 * @throws what failed first.
 */
export async function eachConcurrently<T>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<void>,
  stop?: AbortSignal,
): Promise<void> {
  const failures: unknown[] = [];
  const left = items.entries();
  const worker = async () => {
    for (const [index, item] of left) {
      if (failures.length > 0 || stop?.aborted) return;
      await work(item, index).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: mostAtOnce }, worker));
  if (failures.length > 0) throw failures[0];
}
