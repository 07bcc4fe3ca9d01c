import * as z from "zod";
import { type Page, type PageQuery, pageOf, pageQuery } from "../../language/list.ts";
import { json, op } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";
import { PromptSummary, tag } from "../prompts/schemas.ts";

/** A tag, and how many public things have it. Prompts that are rated mature do not count. */
export interface Tag {
  name: string;
  promptCount: number;
  makeCount: number;
  postCount: number;
}
const count = z.int();
export const Tag: Schema<Tag> = z
  .strictObject({ name: tag, promptCount: count, makeCount: count, postCount: count })
  .meta({ id: "Tag" });

/** A tag with what it is used for. */
export interface TagDetail {
  name: string;
  counts: { prompts: number; makes: number; posts: number };
  /** Up to ten tags that the most starred prompts have beside it, the most frequent first. */
  related: string[];
  /** The most starred prompts, up to ten. */
  topPrompts: PromptSummary[];
}
export const TagDetail: Schema<TagDetail> = z
  .strictObject({
    name: tag,
    counts: z.strictObject({ prompts: count, makes: count, posts: count }).meta({ id: "TagCounts" }),
    related: z.array(tag).max(10),
    topPrompts: z.array(PromptSummary).max(10),
  })
  .meta({ id: "TagDetail" });

/** Which tags to list. */
export interface ListTags extends PageQuery {
  /** How the name begins. */
  q?: string;
  /** Those of most prompts first, or from a to z. Default: `count`. */
  sort?: "count" | "name";
}
const ListTags: Schema<ListTags> = z.strictObject({
  ...pageQuery(),
  q: tag.optional(),
  sort: z.enum(["count", "name"]).optional(),
});

/** A tag's address. */
export interface TagPath {
  tag: string;
}
const TagPath: Schema<TagPath> = z.strictObject({ tag });

const anybody = { auth: "optional", scope: "read" } as const;

export const tags = {
  /** Lists the tags of public prompts, makes and posts, those of most prompts first. A new tag appears, and is counted, within ten seconds. */
  list: op({
    route: "GET /tags",
    access: anybody,
    query: ListTags,
    results: { 200: json<Page<Tag>>(pageOf(Tag)) },
    errors: ["invalid_cursor"],
  }),
  /** Gets a tag: how often it is used, the tags that go with it, and its most starred prompts. */
  get: op({
    route: "GET /tags/{tag}",
    access: { ...anybody, on: { tag: "viewers" } },
    params: TagPath,
    results: { 200: json(TagDetail) },
  }),
};
