import * as z from "zod";
import { id, line, prose, timestamp } from "../../language/fields.ts";
import type { Page } from "../../language/list.ts";
import type { Schema } from "../../language/schema.ts";
import { MakeSummary } from "../makes/schemas.ts";
import { Media } from "../media/schemas.ts";
import { PostSummary } from "../posts/schemas.ts";
import { PromptSummary, Visibility } from "../prompts/schemas.ts";
import { UserRef } from "../users/schemas.ts";
import { collected } from "./collected.ts";

/** A kind of what can be collected. */
export type CollectedKind = keyof typeof collected;
export const CollectedKind: Schema<CollectedKind> = z.enum(Object.keys(collected) as CollectedKind[]);

/** What every item of a collection has. */
interface AnyItem {
  id: string;
  /** What the owner of the collection says about it. */
  note: string | null;
  /** Its position among the items that you are shown: 1 comes first. */
  position: number;
  addedAt: string;
}
/** A prompt in a collection. */
export interface PromptItem extends AnyItem {
  type: "prompt";
  target: PromptSummary;
}
/** A make in a collection. */
export interface MakeItem extends AnyItem {
  type: "make";
  target: MakeSummary;
}
/** A post in a collection. */
export interface PostItem extends AnyItem {
  type: "post";
  target: PostSummary;
}
const item = {
  id: id("itm"),
  note: z.string().nullable(),
  position: z.int(),
  addedAt: timestamp,
};
/** A prompt, a make or a post in a collection. `type` says what `target` is. */
export type CollectionItem = PromptItem | MakeItem | PostItem;
export const CollectionItem: Schema<CollectionItem> = z
  .discriminatedUnion("type", [
    z.strictObject({ ...item, type: z.literal("prompt"), target: PromptSummary }).meta({ id: "PromptItem" }),
    z.strictObject({ ...item, type: z.literal("make"), target: MakeSummary }).meta({ id: "MakeItem" }),
    z.strictObject({ ...item, type: z.literal("post"), target: PostSummary }).meta({ id: "PostItem" }),
  ])
  .meta({ id: "CollectionItem" });

/** A collection as lists show it, without its items. */
export interface CollectionSummary {
  id: string;
  title: string;
  description: string | null;
  visibility: Visibility;
  owner: UserRef;
  /** A picture of it. */
  cover: Media | null;
  /** How many of its items everybody is shown. In lists it may be seconds behind. */
  itemCount: number;
  createdAt: string;
  /** When its owner last changed something that everybody is shown of it. */
  updatedAt: string;
}
const summary = {
  id: id("col"),
  title: z.string(),
  description: z.string().nullable(),
  visibility: Visibility,
  owner: UserRef,
  cover: Media.nullable(),
  itemCount: z.int(),
  createdAt: timestamp,
  updatedAt: timestamp,
};
export const CollectionSummary: Schema<CollectionSummary> = z
  .strictObject(summary)
  .meta({ id: "CollectionSummary" });

/** A collection, with a page of the items that you may see, in their order. */
export interface Collection extends CollectionSummary, Page<CollectionItem> {}
export const Collection: Schema<Collection> = z
  .strictObject({ ...summary, items: z.array(CollectionItem), nextCursor: z.string().nullable() })
  .meta({ id: "Collection" });

const title = line({ min: 1, max: 80 });
const description = prose({ max: 2_000 }).nullish();

/** A new collection. */
export interface CreateCollection {
  title: string;
  description?: string | null;
  /** Default: public. */
  visibility?: Visibility;
}
export const CreateCollection: Schema<CreateCollection> = z
  .strictObject({ title, description, visibility: Visibility.optional() })
  .meta({ id: "CreateCollection" });

/** What to change of a collection. What is absent stays. */
export interface UpdateCollection {
  title?: string;
  description?: string | null;
  visibility?: Visibility;
  /** A picture of yours that is ready; null for none. */
  coverMediaId?: string | null;
}
export const UpdateCollection: Schema<UpdateCollection> = z
  .strictObject({
    title: title.optional(),
    description,
    visibility: Visibility.optional(),
    coverMediaId: id("med").nullish(),
  })
  .meta({ id: "UpdateCollection" });

/** The id of a collection. */
export interface CollectionPath {
  id: string;
}
export const CollectionPath: Schema<CollectionPath> = z.strictObject({ id: id("col") });
