import * as z from "zod";
import { id, prose } from "../../language/fields.ts";
import type { Schema } from "../../language/schema.ts";
import { empty, json, op } from "../../operations/operation.ts";
import { collected, collectedTarget, on } from "./collected.ts";
import { CollectedKind, Collection, CollectionItem, CollectionPath } from "./schemas.ts";

const note = prose({ max: 500 }).nullish();

/** What to add to a collection. */
export interface AddItem {
  type: CollectedKind;
  /** Its address: `owner/slug`, the slug of a make, or the id of a post. */
  id: string;
  note?: string | null;
}
export const AddItem: Schema<AddItem> = z
  .strictObject({ type: CollectedKind, id: z.union(Object.values(collected)), note })
  .meta({ id: "AddItem" });

/** The new order of the items of a collection. */
export interface ReorderItems {
  /** The id of every item that you are shown, each once. */
  itemIds: string[];
}
const ReorderItems: Schema<ReorderItems> = z
  .strictObject({ itemIds: z.array(id("itm")).max(1_000) })
  .meta({ id: "ReorderItems" });

/** What to remove from a collection. */
export interface RemoveByTarget {
  /** `prompt:owner/slug`, `make:slug` or `post:pst_…`. */
  target: string;
}
const RemoveByTarget: Schema<RemoveByTarget> = z.strictObject({ target: collectedTarget });

/** The note on an item. */
export interface UpdateItem {
  note: string | null;
}
const UpdateItem: Schema<UpdateItem> = z
  .strictObject({ note: prose({ max: 500 }).nullable() })
  .meta({ id: "UpdateItem" });

/** An item of a collection. */
export interface CollectionItemPath extends CollectionPath {
  itemId: string;
}
const CollectionItemPath: Schema<CollectionItemPath> = z.strictObject({ id: id("col"), itemId: id("itm") });

const access = { auth: "required", scope: "write", on: { collection: ["owner"] } } as const;

export const items = {
  /**
   * Adds a prompt, a make or a post to your collection, after the others. One that is there already stays as it is, and is returned with 200. A
   * collection can have 500 items, with those that you cannot see any more.
   */
  add: op({
    route: "POST /collections/{id}/items",
    access: { ...access, with: { collected: { on, from: "body", namesKind: true } } },
    params: CollectionPath,
    body: json(AddItem),
    results: { 200: json(CollectionItem), 201: json(CollectionItem), 204: empty() },
    errors: ["quota_exceeded"],
  }),
  /**
   * Puts the items of your collection in another order. The list must name each item that you are shown once. Returns the
   * first page of them.
   */
  reorder: op({
    route: "PUT /collections/{id}/items",
    access,
    params: CollectionPath,
    body: json(ReorderItems),
    results: { 200: json(Collection), 204: empty() },
    errors: ["order_mismatch"],
  }),
  /** Removes a prompt, a make or a post from your collection by its address, present or former, if it is there. */
  removeByTarget: op({
    route: "DELETE /collections/{id}/items",
    access,
    params: CollectionPath,
    query: RemoveByTarget,
    results: { 204: empty() },
  }),
  /** Sets the note on an item of your collection; null removes it. */
  update: op({
    route: "PATCH /collections/{id}/items/{itemId}",
    access,
    params: CollectionItemPath,
    body: json(UpdateItem),
    results: { 200: json(CollectionItem), 204: empty() },
  }),
  /** Removes an item from your collection. */
  delete: op({
    route: "DELETE /collections/{id}/items/{itemId}",
    access,
    params: CollectionItemPath,
    results: { 204: empty() },
  }),
};
