import type { CollectionItem } from "@promptreg/client";
import { InputError, naming } from "../errors.ts";
import type { Collected } from "../grammar/arguments.ts";
import { take } from "../requests/take.ts";
import type { Context } from "../settings/context.ts";
import { cell, countOf } from "../terminal/text.ts";

/** As people name it: `owner/slug`, `make:slug`, `post:pst_…`. */
const nameOf = ({ type, id }: Collected): string => (type === "prompt" ? id : `${type}:${id}`);
/** The same of an item. */
export const nameOfItem = (item: CollectionItem): string =>
  nameOf({
    type: item.type,
    id: item.type === "prompt" ? item.target.ref : item.type === "make" ? item.target.slug : item.target.id,
  });

/**
 * Does something to each, in the order in which they are named.
 * @throws {Error} as the first that fails; its message names that one, and says for which it is done.
 */
async function inTurn<Result>(
  named: readonly Collected[],
  done: string,
  act: (one: Collected) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [nth, one] of named.entries()) {
    const before = named.slice(0, nth).map(nameOf).join(", ");
    const said = before && `${before} ${nth === 1 ? "is" : "are"} ${done}, but `;
    results.push(await naming(`${said}${nameOf(one)}`, () => act(one)));
  }
  return results;
}

export async function addToCollection(
  { connect, output }: Context,
  id: string,
  named: readonly Collected[],
  { note }: { note?: string },
): Promise<void> {
  const client = await connect();
  const items = await inTurn(named, "added", (one) =>
    client.collections.items.add({ id, body: { ...one, note } }),
  );
  output.result(
    { items: items.map((item) => item ?? null) },
    () => `${output.colors.bold(id)} has ${named.map(nameOf).join(", ")}`,
  );
}

export async function removeFromCollection(
  { connect, output }: Context,
  id: string,
  named: readonly Collected[],
): Promise<void> {
  const client = await connect();
  await inTurn(named, "removed", ({ type, id: address }) =>
    client.collections.items.removeByTarget({ id, query: { target: `${type}:${address}` } }),
  );
  const removed = named.map(nameOf);
  output.result({ id, removed }, () => `${output.colors.bold(id)} has ${removed.join(", ")} no more`);
}

export async function reorderCollection(
  { connect, output }: Context,
  id: string,
  named: readonly Collected[],
): Promise<void> {
  const client = await connect();
  const asked = client.collections.get({ id, query: { limit: 100 } });
  const { items } = await take(asked, Number.POSITIVE_INFINITY);
  const idOf = new Map(items.map((item) => [nameOfItem(item), item.id]));
  const first = named.map((one) => {
    const found = idOf.get(nameOf(one));
    if (found === undefined) throw new InputError(`The collection ${id} does not contain ${nameOf(one)}.`);
    return found;
  });
  const itemIds = [...new Set([...first, ...items.map((item) => item.id)])];
  const ordered = await client.collections.items.reorder({ id, body: { itemIds } });
  output.result(ordered ?? null, () => {
    const names = cell(named.map(nameOf).join(", "));
    const others = itemIds.length - new Set(first).size;
    return `${output.colors.bold(id)} begins with ${names}${others > 0 ? `, before ${countOf(others, "other item")}` : ""}`;
  });
}
