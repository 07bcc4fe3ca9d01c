import * as z from "zod";
import { handle, id, plainText, slug } from "../../language/fields.ts";
import { flag, type Page, type PageQuery, pageOf, pageQuery, repeatable } from "../../language/list.ts";
import type { Schema } from "../../language/schema.ts";
import { empty, json, op } from "../../operations/operation.ts";
import { tag } from "../prompts/schemas.ts";
import { revisions } from "./revisions.ts";
import { series } from "./series.ts";
import {
  Autosaved,
  AutosavePost,
  CreatePost,
  Post,
  PostPath,
  PostStatus,
  PostSummary,
  SubmitPost,
  UnpublishPost,
  UpdatePost,
} from "./schemas.ts";

/** Which posts to list: those that fit every field. */
export interface ListPosts extends PageQuery {
  /** The handle of an account. */
  author?: string;
  /** All your own posts, drafts included. */
  mine?: boolean;
  /** With `mine=true` yours in this state. `in_review` without it: for moderators, all that wait for one, the oldest first. */
  status?: PostStatus;
  /** All of these tags. */
  tag?: string[];
  /** The id of a series. */
  series?: string;
  /** A slug. With `author` it names one post. */
  slug?: string;
  /** Words to look for, as in a web search: `"exact phrase"`, `-not`, `or`. */
  q?: string;
  /** The newest first, or the best by votes, which are counted for it once an hour. Default: `newest`. */
  sort?: "newest" | "votes";
}
const ListPosts: Schema<ListPosts> = z.strictObject({
  ...pageQuery(),
  author: handle
    .refine((author) => author !== "me", {
      error: "cannot be me: your own posts are listed by mine=true",
    })
    .optional(),
  mine: flag.optional(),
  status: PostStatus.optional(),
  tag: repeatable(tag).optional(),
  series: id("ser").optional(),
  slug: slug.optional(),
  q: plainText({ min: 1, max: 200 }).optional(),
  sort: z.enum(["newest", "votes"]).optional(),
});

/** What an autosave was written on. */
export interface AutosaveHeaders {
  /** The ETag of the post, or the `etag` of the last autosave. */
  "if-match"?: string;
}
const AutosaveHeaders: Schema<AutosaveHeaders> = z.object({ "if-match": z.string().optional() });

const ofAuthor = { auth: "required", scope: "write", on: { post: ["author"] } } as const;
const inSeries = { series: { on: { series: ["owner"] }, from: "body.seriesId?" } } as const;

// `as typeof` makes the published declarations lead to a part of the group; otherwise they repeat its type, without the
// documentation that editors show.
// oxlint-disable typescript/no-unnecessary-type-assertion
export const posts = {
  /** Lists the published posts or, with `mine=true`, all of your own. */
  list: op({
    route: "GET /posts",
    access: { auth: "optional", scope: "read" },
    query: ListPosts,
    results: { 200: json<Page<PostSummary>>(pageOf(PostSummary)) },
    fields: { mine: { callerFor: true }, status: { callerFor: "in_review" } },
    errors: ["invalid_cursor", "forbidden"],
    rate: { policy: "search", when: "q" },
  }),
  /** Creates a post, as a draft. */
  create: op({
    route: "POST /posts",
    access: { auth: "required", scope: "write", with: inSeries },
    body: json(CreatePost),
    results: { 201: json(Post), 204: empty() },
    errors: ["slug_taken", "quota_exceeded", "media_not_ready"],
  }),
  /** Gets a post. Its author gets the working copy with it, and moderators do while it is in review. */
  get: op({
    route: "GET /posts/{id}",
    access: { auth: "optional", scope: "read", on: { post: "viewers" } },
    params: PostPath,
    results: { 200: json(Post) },
  }),
  /**
   * Changes a post, or decides about one that is in review. Its text changes in the working copy, as a revision of its own, and is
   * published by `posts.submit`; tags, cover, series and slug change at once.
   */
  update: op({
    route: "PATCH /posts/{id}",
    access: { ...ofAuthor, with: inSeries },
    params: PostPath,
    body: json(UpdatePost),
    fields: { review: { allow: ["moderator"] } },
    results: { 200: json(Post), 204: empty() },
    errors: [
      "post_in_review",
      "post_not_in_review",
      "post_changed",
      "own_content",
      "slug_taken",
      "quota_exceeded",
      "media_not_ready",
    ],
  }),
  /** Deletes a post. */
  delete: op({
    route: "DELETE /posts/{id}",
    access: { ...ofAuthor, on: { post: ["author", "moderator"] } },
    params: PostPath,
    results: { 204: empty() },
  }),
  /**
   * Saves the working copy, and never the published text. With `If-Match`, what was not written on the last text gets 412 and is not
   * stored; saves within ten minutes share a revision. Without it, each is a revision of its own, so that nothing written is lost.
   */
  autosave: op({
    route: "PUT /posts/{id}/autosave",
    access: ofAuthor,
    params: PostPath,
    headers: AutosaveHeaders,
    body: json(AutosavePost),
    results: { 200: json(Autosaved), 204: empty() },
    errors: ["post_in_review", "quota_exceeded"],
  }),
  /** Submits the working copy for review. That of a trusted author is published at once. */
  submit: op({
    route: "POST /posts/{id}/submit",
    access: ofAuthor,
    params: PostPath,
    body: json(SubmitPost),
    results: { 200: json(Post), 204: empty() },
    errors: ["post_in_review"],
  }),
  /** Takes a post back. It is a draft again. */
  unpublish: op({
    route: "POST /posts/{id}/unpublish",
    access: { ...ofAuthor, on: { post: ["author", "moderator"] } },
    params: PostPath,
    body: json(UnpublishPost),
    results: { 200: json(Post), 204: empty() },
    errors: ["post_not_published"],
  }),
  /** Takes a submission back. It is a draft again, or published as before. */
  withdraw: op({
    route: "POST /posts/{id}/withdraw",
    access: ofAuthor,
    params: PostPath,
    results: { 200: json(Post), 204: empty() },
    errors: ["post_not_in_review"],
  }),
  revisions: revisions as typeof revisions,
  series: series as typeof series,
};
