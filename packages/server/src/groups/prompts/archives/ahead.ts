/** Begins the next item before it hands out one, so that making and using them overlap. It is never more than one ahead. */
export async function* ahead<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const items = source[Symbol.asyncIterator]();
  const begin = () => {
    const item = items.next();
    // If the reader stops before, nobody needs it.
    item.catch(() => {});
    return item;
  };
  try {
    for (let next = begin(); ; ) {
      const item = await next;
      if (item.done) return;
      next = begin();
      yield item.value;
    }
  } finally {
    // Waits for what has begun.
    await items.return?.();
  }
}
