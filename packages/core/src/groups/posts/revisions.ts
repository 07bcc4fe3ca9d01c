import * as z from "zod";
import { id, timestamp } from "../../language/fields.ts";
import { type Page, type PageQuery, pageOf, pageQuery } from "../../language/list.ts";
import type { Schema } from "../../language/schema.ts";
import { empty, json, op } from "../../operations/operation.ts";
import { UserRef } from "../users/schemas.ts";
import { Post, PostPath, postPath } from "./schemas.ts";

/** A text that a post had, without its body. */
export interface PostRevision {
  id: string;
  /** 1 for the first of a post. */
  number: number;
  /** How it came, or what became of it: one that was submitted, then published, is `publish`. */
  kind: "autosave" | "save" | "submit" | "publish" | "restore";
  author: UserRef;
  title: string;
  summary: string | null;
  /** How many words its body has. */
  words: number;
  createdAt: string;
}
const revision = {
  id: id("rev"),
  number: z.int(),
  kind: z.enum(["autosave", "save", "submit", "publish", "restore"]),
  author: UserRef,
  title: z.string(),
  summary: z.string().nullable(),
  words: z.int(),
  createdAt: timestamp,
};
export const PostRevision: Schema<PostRevision> = z.strictObject(revision).meta({ id: "PostRevision" });

/** A text that a post had. */
export interface WholeRevision extends PostRevision {
  /** Markdown, up to 200 KiB. */
  body: string;
}
export const WholeRevision: Schema<WholeRevision> = z
  .strictObject({ ...revision, body: z.string() })
  .meta({ id: "WholeRevision" });

/** The id of a post, and of one of its revisions. */
export interface RevisionPath extends PostPath {
  revisionId: string;
}
const RevisionPath: Schema<RevisionPath> = z.strictObject({ ...postPath, revisionId: id("rev") });
const RevisionsQuery: Schema<PageQuery> = z.strictObject(pageQuery());

const seen = { auth: "required", scope: "read", on: { post: ["author", "moderator"] } } as const;

export const revisions = {
  /**
   * Lists the revisions of a post, the newest first. The last 100 are kept, and all that were published. Moderators are shown those that
   * were submitted.
   */
  list: op({
    route: "GET /posts/{id}/revisions",
    access: seen,
    params: PostPath,
    query: RevisionsQuery,
    results: { 200: json<Page<PostRevision>>(pageOf(PostRevision)) },
    errors: ["invalid_cursor"],
  }),
  /** Gets a revision with its body. */
  get: op({
    route: "GET /posts/{id}/revisions/{revisionId}",
    access: seen,
    params: RevisionPath,
    results: { 200: json(WholeRevision) },
  }),
  /** Makes an old text the working copy again. What is published stays. */
  restore: op({
    route: "POST /posts/{id}/revisions/{revisionId}/restore",
    access: { auth: "required", scope: "write", on: { post: ["author"] } },
    params: RevisionPath,
    results: { 200: json(Post), 204: empty() },
    errors: ["post_in_review", "quota_exceeded"],
  }),
};
