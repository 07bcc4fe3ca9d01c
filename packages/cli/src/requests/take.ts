/** The first items of a list, no more of them than are wanted, and whether there are more. */
export async function take<T>(
  list: AsyncIterable<T>,
  limit: number,
): Promise<{ items: T[]; hasMore: boolean }> {
  const items: T[] = [];
  for await (const item of list) {
    if (items.length === limit) return { items, hasMore: true };
    items.push(item);
  }
  return { items, hasMore: false };
}
