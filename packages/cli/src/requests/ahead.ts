/** Works on the items of a list before it is their turn, a few at once, and gives the results in their order. */
export async function* ahead<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  work: (item: Item) => Promise<Result>,
  most = 4,
): AsyncGenerator<Result> {
  const running: Promise<Result>[] = [];
  for await (const item of items) {
    const result = work(item);
    // It is thrown when it is its turn.
    result.catch(() => {});
    running.push(result);
    const [next] = running.length < most ? [] : running.splice(0, 1);
    if (next) yield await next;
  }
  for (const result of running) yield await result;
}
