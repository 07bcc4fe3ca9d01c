import * as z from "zod";
import { handle, id, plainText } from "../../language/fields.ts";
import { flag, type Page, type PageQuery, pageOf, pageQuery } from "../../language/list.ts";
import type { Schema } from "../../language/schema.ts";
import { empty, json, op } from "../../operations/operation.ts";
import { Visibility } from "../prompts/schemas.ts";
import { collectedTarget, on } from "./collected.ts";
import { items } from "./items.ts";
import {
  Collection,
  CollectedKind,
  CollectionPath,
  CollectionSummary,
  CreateCollection,
  UpdateCollection,
} from "./schemas.ts";

/** Which collections to list: those that fit every field. */
export interface ListCollections extends PageQuery {
  /** The handle of an account. */
  owner?: string;
  /** All your own collections, private ones included. */
  mine?: boolean;
  /** Words to look for, as in a web search: `"exact phrase"`, `-not`, `or`. */
  q?: string;
  /** Those that contain this, as far as you are shown that they do: `prompt:owner/slug`, `make:slug`, `post:pst_…`. */
  contains?: string;
  /** The latest, the newest or the largest first. Default: `updated`. */
  sort?: "updated" | "newest" | "size";
}
const ListCollections: Schema<ListCollections> = z.strictObject({
  ...pageQuery(),
  owner: handle
    .refine((owner) => owner !== "me", {
      error: "cannot be me: your own collections are listed by mine=true",
    })
    .optional(),
  mine: flag.optional(),
  q: plainText({ min: 1, max: 200 }).optional(),
  contains: collectedTarget.optional(),
  sort: z.enum(["updated", "newest", "size"]).optional(),
});

/** Which items of a collection to return. */
export interface GetCollection extends PageQuery {
  /** Only items of this kind. */
  type?: CollectedKind;
}
const GetCollection: Schema<GetCollection> = z.strictObject({
  ...pageQuery(),
  type: CollectedKind.optional(),
});

/** What to look for in your collections. */
export interface MembershipQuery {
  /** `prompt:owner/slug`, `make:slug` or `post:pst_…`. */
  target: string;
}
const MembershipQuery: Schema<MembershipQuery> = z.strictObject({ target: collectedTarget });

/** A collection of yours, and whether it contains something. */
export interface Membership {
  id: string;
  title: string;
  visibility: Visibility;
  contains: boolean;
  /** The item that it is there; null if it is not. */
  itemId: string | null;
}
export const Membership: Schema<Membership> = z
  .strictObject({
    id: id("col"),
    title: z.string(),
    visibility: Visibility,
    contains: z.boolean(),
    itemId: z.nullable(id("itm")),
  })
  .meta({ id: "Membership" });

/** All your collections, on one page. */
export interface Memberships {
  items: Membership[];
  nextCursor: null;
}
export const Memberships: Schema<Memberships> = z
  .strictObject({ items: z.array(Membership), nextCursor: z.null() })
  .meta({ id: "Memberships" });

// `as typeof` makes the published declarations lead to a part of the group; otherwise they repeat its type, without the
// documentation that editors show.
// oxlint-disable typescript/no-unnecessary-type-assertion
export const collections = {
  /** Lists the public collections or, with `mine=true`, all of your own. */
  list: op({
    route: "GET /collections",
    access: { auth: "optional", scope: "read" },
    query: ListCollections,
    results: { 200: json<Page<CollectionSummary>>(pageOf(CollectionSummary)) },
    fields: { mine: { callerFor: true } },
    errors: ["invalid_cursor"],
    rate: { policy: "search", when: "q" },
  }),
  /** Creates a collection. You can have 200. */
  create: op({
    route: "POST /collections",
    access: { auth: "required", scope: "write" },
    body: json(CreateCollection),
    results: { 201: json(Collection), 204: empty() },
    errors: ["quota_exceeded"],
  }),
  /**
   * Gets a collection, with a page of its items. In somebody else's you are shown what is public, and what is yours. In your own
   * you are shown all that you can see.
   */
  get: op({
    route: "GET /collections/{id}",
    access: { auth: "optional", scope: "read", on: { collection: "viewers" } },
    params: CollectionPath,
    query: GetCollection,
    results: { 200: json(Collection) },
    errors: ["invalid_cursor"],
  }),
  /** Changes the title, the description, the visibility or the cover of a collection. Returns the first page of its items. */
  update: op({
    route: "PATCH /collections/{id}",
    access: { auth: "required", scope: "write", on: { collection: ["owner", "admin"] } },
    params: CollectionPath,
    body: json(UpdateCollection),
    results: { 200: json(Collection), 204: empty() },
    errors: ["media_not_ready", "quota_exceeded"],
  }),
  /** Deletes a collection. What it contains stays. */
  delete: op({
    route: "DELETE /collections/{id}",
    access: { auth: "required", scope: "write", on: { collection: ["owner", "admin"] } },
    params: CollectionPath,
    results: { 204: empty() },
  }),
  items: items as typeof items,
  /** Lists all your collections, and says which of them contain something. */
  membership: op({
    route: "GET /collections/membership",
    access: { auth: "required", scope: "read", on, from: "query.target", namesKind: true },
    query: MembershipQuery,
    results: { 200: json(Memberships) },
  }),
};
