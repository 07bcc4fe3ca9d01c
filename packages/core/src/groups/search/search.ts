import * as z from "zod";
import { handle, plainText } from "../../language/fields.ts";
import { type PageQuery, pageQuery, repeatable } from "../../language/list.ts";
import { json, op } from "../../operations/operation.ts";
import type { Schema } from "../../language/schema.ts";
import { license, PromptKind, tag } from "../prompts/schemas.ts";
import { SearchPage, Suggestions } from "./schemas.ts";

/**
 * What to search for: what fits every field. With `kind` it is prompts, with `tag` prompts, makes and posts, with `license` prompts and makes,
 * with `owner` all but accounts. Of makes, posts and collections, 10,000 with the words are looked at.
 */
export interface SearchQuery extends PageQuery {
  /** Words to look for, as in a web search: `"exact phrase"`, `-not`, `or`. */
  q: string;
  /** Only prompts, only makes, only posts, only collections, or only accounts. */
  type?: "prompt" | "make" | "post" | "collection" | "user";
  /** One of these kinds. */
  kind?: PromptKind[];
  /** All of these tags. */
  tag?: string[];
  /** The handle of an account. Your own private prompts are found by `GET /prompts?owner=me&q=…`. */
  owner?: string;
  /** An SPDX expression. It must equal the whole license; case does not matter. */
  license?: string;
  /** Default: `relevance`. */
  sort?: "relevance" | "newest" | "stars";
}
const SearchQuery: Schema<SearchQuery> = z.strictObject({
  ...pageQuery(),
  q: plainText({ min: 1, max: 200 }),
  type: z.enum(["prompt", "make", "post", "collection", "user"]).optional(),
  kind: repeatable(PromptKind).optional(),
  tag: repeatable(tag).optional(),
  owner: handle
    .refine((owner) => owner !== "me", { error: "cannot be me: search your own prompts in GET /prompts" })
    .optional(),
  license: license.optional(),
  sort: z.enum(["relevance", "newest", "stars"]).optional(),
});

/** What to complete. */
export interface SuggestQuery {
  /** The beginning of a title, a slug, `owner/slug`, a tag or a handle. */
  q: string;
  /** Only suggestions of this type. */
  type?: "prompt" | "collection" | "make" | "tag" | "user";
  /** The most suggestions to return, up to 10. Default: 10. */
  limit?: number;
}
const SuggestQuery: Schema<SuggestQuery> = z.strictObject({
  q: plainText({ min: 1, max: 100 }),
  type: z.enum(["prompt", "collection", "make", "tag", "user"]).optional(),
  limit: pageQuery({ max: 10 }).limit,
});

const rate = { policy: "search" } as const;
const anybody = { auth: "optional", scope: "read" } as const;

export const search = {
  /**
   * Searches prompts, makes, posts, collections and accounts, the best matches first. It finds only what is public. Of a word that very many
   * prompts have, the most starred are ranked, and the facets count these.
   */
  query: op({
    route: "GET /search",
    access: anybody,
    query: SearchQuery,
    results: { 200: json(SearchPage) },
    errors: ["invalid_cursor"],
    rate,
  }),
  /**
   * Suggests up to ten prompts, makes, collections, tags and accounts whose names begin with what was typed. If few do, it adds names that
   * are almost alike.
   */
  suggest: op({
    route: "GET /search/suggest",
    access: anybody,
    query: SuggestQuery,
    results: { 200: json(Suggestions) },
    rate,
  }),
};
