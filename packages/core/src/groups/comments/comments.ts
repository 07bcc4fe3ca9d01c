import * as z from "zod";
import { plainText } from "../../language/fields.ts";
import { type PageQuery, pageQuery } from "../../language/list.ts";
import type { Schema } from "../../language/schema.ts";
import { empty, json, op } from "../../operations/operation.ts";
import { UserRef } from "../users/schemas.ts";
import { commentId, discussedTarget, lockers, threadTarget, viewers } from "./discussed.ts";
import {
  Comment,
  CommentLock,
  CreateComment,
  HideComment,
  LockComments,
  Threads,
  UpdateComment,
} from "./schemas.ts";

/** Which comments to list. */
export interface ListComments extends PageQuery {
  /**
   * What is commented on: `prompt:owner/slug`, `version:owner/slug@3`, `change_request:owner/slug!12`, `make:slug` or `post:pst_…`. `comment:cmt_…` lists the
   * replies of a thread. Everything but `author` and `status` needs it.
   */
  target?: string;
  /**
   * `me`, in place of a target: all comments that you wrote, the newest first, without their replies. Held and hidden ones are among them. What you do not
   * see any more is named by its id.
   */
  author?: "me";
  /** `held`: for moderators, in place of a target: all comments that wait for one, the oldest first. */
  status?: "held";
  /** The oldest, the newest or the best by votes first. Default: `oldest`. */
  sort?: "oldest" | "newest" | "top";
}
const ListComments: Schema<ListComments> = z.strictObject({
  ...pageQuery(),
  target: threadTarget.optional(),
  author: z.literal("me").optional(),
  status: z.literal("held").optional(),
  sort: z.enum(["oldest", "newest", "top"]).optional(),
});

/** Whom to mention. */
export interface FindMentions {
  /** The beginning of a handle. */
  q: string;
  /** What is commented on: those who take part there come first. */
  target?: string;
  /** The most accounts to return, up to 10. Default: 10. */
  limit?: number;
}
const FindMentions: Schema<FindMentions> = z.strictObject({
  q: plainText({ min: 1, max: 39 }),
  target: discussedTarget.optional(),
  limit: pageQuery({ max: 10 }).limit,
});

/** The accounts that can be mentioned, on one page. */
export interface Mentionable {
  items: UserRef[];
  nextCursor: null;
}
export const Mentionable: Schema<Mentionable> = z
  .strictObject({ items: z.array(UserRef), nextCursor: z.null() })
  .meta({ id: "Mentionable" });

/** The id of a comment. */
export interface CommentPath {
  id: string;
}
const CommentPath: Schema<CommentPath> = z.strictObject({ id: commentId });

const ofAuthor = { auth: "required", scope: "write", on: { comment: ["author"] } } as const;
const ofModerator = { auth: "required", scope: "write", on: { comment: ["moderator"] } } as const;

export const comments = {
  /**
   * Lists the comments on something as threads, each with its first 20 replies, or the replies of one
   * thread. Comments that are held or hidden are shown to their author and to moderators, who can list all that are held. With `author=me` it
   * lists what you wrote, wherever it stands.
   */
  list: op({
    route: "GET /comments",
    access: {
      auth: "optional",
      scope: "read",
      on: { ...viewers, comment: "viewers" },
      from: "query.target?",
      namesKind: true,
    },
    query: ListComments,
    results: { 200: json(Threads) },
    fields: { author: { callerFor: "me" }, status: { callerFor: "held" } },
    errors: ["invalid_cursor", "forbidden"],
  }),
  /**
   * Comments on something, or replies to a comment. A comment that looks like spam is held until a moderator shows it: it has
   * many links, repeats another one, has a link and comes from a new account, or has a word that the operator listed.
   */
  create: op({
    route: "POST /comments",
    access: { auth: "required", scope: "write", on: viewers, from: "body.target", namesKind: true },
    body: json(CreateComment),
    results: { 201: json(Comment), 204: empty() },
    errors: ["prompt_not_published", "thread_locked", "comment_deleted", "comment_hidden"],
    emits: ["comment.created"],
    rate: { policy: "comment" },
  }),
  /** Changes your comment, within 24 hours. Nobody is notified of it. */
  update: op({
    route: "PATCH /comments/{id}",
    access: ofAuthor,
    params: CommentPath,
    body: json(UpdateComment),
    results: { 200: json(Comment), 204: empty() },
    errors: ["edit_window_closed", "comment_deleted", "comment_hidden"],
  }),
  /** Deletes a comment. Its replies stay. */
  delete: op({
    route: "DELETE /comments/{id}",
    access: { ...ofAuthor, on: { comment: ["author", "moderator"] } },
    params: CommentPath,
    results: { 204: empty() },
    errors: ["comment_deleted"],
  }),
  /** Hides a comment from all but its author and moderators, and with it its replies. */
  hide: op({
    route: "POST /comments/{id}/hide",
    access: ofModerator,
    params: CommentPath,
    body: json(HideComment),
    results: { 200: json(Comment), 204: empty() },
    errors: ["comment_deleted"],
  }),
  /** Shows a comment that is hidden or held, of somebody else. */
  unhide: op({
    route: "DELETE /comments/{id}/hide",
    access: ofModerator,
    params: CommentPath,
    results: { 200: json(Comment), 204: empty() },
    errors: ["comment_deleted"],
    emits: ["comment.created"],
  }),
  /**
   * Locks the comments on something, or unlocks them. The lock of a prompt holds for its versions and change requests too. What a moderator
   * locked only moderators unlock.
   */
  lock: op({
    route: "PUT /comments/lock",
    access: { auth: "required", scope: "write", on: lockers, from: "body.target", namesKind: true },
    body: json(LockComments),
    results: { 200: json(CommentLock) },
  }),
  /** Suggests up to ten accounts whose handles begin with what was typed. Those who take part in a discussion come first. */
  mentions: op({
    route: "GET /comments/mentions",
    access: { auth: "required", scope: "read", on: viewers, from: "query.target?", namesKind: true },
    query: FindMentions,
    results: { 200: json(Mentionable) },
    rate: { policy: "search" },
  }),
};
