import { expect, test } from "vitest";
import { itemsOf, lineRows, rowsOf } from "./stream.ts";

async function all(values: AsyncIterable<unknown>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const value of values) found.push(value);
  return found;
}

test("an item has 32 MiB at most", { tags: "long" }, async () => {
  const count = async (bytes: number) => {
    async function* chunks() {
      yield new TextEncoder().encode(`[1,${'""'.padStart(bytes)}]`);
    }
    return (await all(itemsOf(chunks()))).length;
  };
  expect(await count(32 * 1024 ** 2)).toBe(2);
  await expect(count(32 * 1024 ** 2 + 1)).rejects.toThrow("Item 2 is larger than 32 MiB.");
});

test("a source that breaks off gives no shorter table", async () => {
  async function* chunks() {
    yield new TextEncoder().encode("a\nb");
    throw new Error("The disk is broken.");
  }
  await expect(all(rowsOf(chunks(), lineRows()))).rejects.toThrow("The disk is broken.");
});
