import { type CollectionItem, type JsonText, limits } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import type { Handler } from "../../kernel/handler.ts";
import { checkOrder } from "../../kernel/lists/exact-order.ts";
import { lookingOf } from "../../kernel/media/looking.ts";
import { countHeld, countItems } from "./count.sql.ts";
import {
  deleteItem,
  deleteTarget,
  insertItem,
  type Looking,
  orderItems,
  selectItem,
  selectItemOf,
  selectSeenIds,
  updateNote,
} from "./items.sql.ts";
import { showFirst } from "./show.ts";

/** Counts the items of a collection after an edit of these. */
const settle = (sql: Sql, collectionId: string) => countItems(sql, [collectionId], { isEdit: true });

/**
 * An item of a collection. One that is hidden is as good as missing.
 * @throws {ApiError} `not_found`.
 */
async function shown(sql: Sql, looking: Looking, itemId: string): Promise<JsonText<CollectionItem>> {
  const item = await selectItem(sql, looking, itemId);
  if (item === null) throw apiError("not_found", { message: `This collection has no item ${itemId}.` });
  return item;
}

export const add: Handler<"collections.items.add"> = async ({
  body: { note = null },
  caller,
  target: collection,
  others: { collected },
  sql,
  server,
}) => {
  const looking = { collection, ...lookingOf(caller, server) };
  const pair = { collectionId: collection.id, targetId: collected.id };
  const held = await selectItemOf(sql, pair);
  if (held !== null) return { status: 200, json: await shown(sql, looking, held) };
  if ((await countHeld(sql, collection.id)) >= limits.itemsPerCollection) {
    throw apiError("quota_exceeded", {
      message: `A collection can have ${limits.itemsPerCollection} items, with those that you cannot see any more. Remove one first.`,
    });
  }
  const id = await insertItem(sql, { ...pair, note });
  await settle(sql, collection.id);
  return { status: 201, json: await shown(sql, looking, id) };
};

export const reorder: Handler<"collections.items.reorder"> = async ({
  body: { itemIds },
  caller,
  target: collection,
  sql,
  server,
}) => {
  const present = await selectSeenIds(sql, { collection, ...lookingOf(caller, server) });
  checkOrder(itemIds, new Set(present));
  await orderItems(sql, itemIds);
  await settle(sql, collection.id);
  return showFirst(sql, { collection, caller, server });
};

/** Whatever is there or not, the answer is the same: it tells nothing of what the owner of the collection cannot see. */
export const removeByTarget: Handler<"collections.items.removeByTarget"> = async ({
  query: { target },
  target: { id: collectionId },
  sql,
}) => {
  await deleteTarget(sql, { collectionId, target });
  await settle(sql, collectionId);
  return { status: 204 };
};

export const update: Handler<"collections.items.update"> = async ({
  params: { itemId },
  body: { note },
  caller,
  target: collection,
  sql,
  server,
}) => {
  const looking = { collection, ...lookingOf(caller, server) };
  await shown(sql, looking, itemId);
  await updateNote(sql, itemId, note);
  await settle(sql, collection.id);
  return { status: 200, json: await shown(sql, looking, itemId) };
};

const remove: Handler<"collections.items.delete"> = async ({
  params: { itemId },
  caller,
  target: collection,
  sql,
  server,
}) => {
  await shown(sql, { collection, ...lookingOf(caller, server) }, itemId);
  await deleteItem(sql, itemId);
  await settle(sql, collection.id);
  return { status: 204 };
};
export { remove as delete };
