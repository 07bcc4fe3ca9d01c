import * as z from "zod";
import { invisible, isVisible, prose, timestamp } from "../../language/fields.ts";
import type { Page } from "../../language/list.ts";
import type { Schema } from "../../language/schema.ts";
import { UserRef } from "../users/schemas.ts";
import { commentId, CommentTarget, ShownTarget } from "./discussed.ts";

/** What somebody wrote about a prompt, a version, a change request, a make or a post. */
export interface Comment {
  id: string;
  /** In the list of your own comments, the `id` of what you do not see any more is its id: `prm_01jd…`, `prm_01jd…@3`, `mak_01jd…`. */
  target: CommentTarget;
  /** The comment that began the thread; null if this one did. */
  parentId: string | null;
  /** Null if the comment was deleted. */
  author: UserRef | null;
  /** Markdown. Null if the comment was deleted. */
  body: string | null;
  /**
   * The body as HTML, safe to put into a page: it has no scripts, styles or images. Null if the comment was deleted. After an
   * upgrade of the registry it can be as the older release rendered it, until it is rendered anew.
   */
  html: string | null;
  /**
   * `held`: it waits for a moderator. `hidden`: a moderator hid it. Only its author and moderators see these. `deleted`: nothing is
   * left of it but its place above replies.
   */
  status: "visible" | "held" | "hidden" | "deleted";
  editedAt: string | null;
  /** The accounts that it mentions as `@handle`, ten at most. */
  mentions: UserRef[];
  votes: { up: number; down: number };
  createdAt: string;
  /** What you can do with it. Only with a token. */
  viewer?: {
    /** Its author can, for 24 hours. */
    canEdit: boolean;
    canDelete: boolean;
    canHide: boolean;
    /** Your vote; null if you have none. */
    vote: 1 | -1 | null;
  };
}
const comment = {
  id: commentId,
  target: ShownTarget,
  parentId: commentId.nullable(),
  author: z.nullable(UserRef),
  body: z.string().nullable(),
  html: z.string().nullable(),
  status: z.enum(["visible", "held", "hidden", "deleted"]),
  editedAt: z.nullable(timestamp),
  mentions: z.array(UserRef),
  votes: z.strictObject({ up: z.int(), down: z.int() }),
  createdAt: timestamp,
  viewer: z
    .strictObject({
      canEdit: z.boolean(),
      canDelete: z.boolean(),
      canHide: z.boolean(),
      vote: z.nullable(z.literal([1, -1])),
    })
    .optional(),
};
export const Comment: Schema<Comment> = z.strictObject(comment).meta({ id: "Comment" });

/** A comment with its replies. A reply in a list of replies has none. */
export interface Thread extends Comment {
  /** How many replies everybody is shown. */
  replyCount: number;
  /** The first 20 replies, the oldest first; none in the lists of your own comments and of held ones. All are listed by `target=comment:<id>`. */
  replies: Comment[];
}
export const Thread: Schema<Thread> = z
  .strictObject({ ...comment, replyCount: z.int(), replies: z.array(Comment) })
  .meta({ id: "Thread" });

/** A page of threads. */
export interface Threads extends Page<Thread> {
  /** Only moderators can write more comments. */
  locked: boolean;
  /** What you can do here. Only with a token. */
  viewer?: { canComment: boolean; canLock: boolean };
}
export const Threads: Schema<Threads> = z
  .strictObject({
    items: z.array(Thread),
    nextCursor: z.string().nullable(),
    locked: z.boolean(),
    viewer: z.strictObject({ canComment: z.boolean(), canLock: z.boolean() }).optional(),
  })
  .meta({ id: "Threads" });

const body = (prose({ min: 1, max: 10_000 }) as z.ZodType<string>).refine(isVisible, invisible);

/** A new comment. */
export interface CreateComment {
  /** What to comment on. */
  target: CommentTarget;
  /** Markdown. `@handle` mentions an account. */
  body: string;
  /** The comment to reply to. A reply to a reply joins the same thread. */
  parentId?: string | null;
}
export const CreateComment: Schema<CreateComment> = z
  .strictObject({ target: CommentTarget, body, parentId: commentId.nullish() })
  .meta({ id: "CreateComment" });

/** What a comment is to say. */
export interface UpdateComment {
  /** Markdown. */
  body: string;
}
export const UpdateComment: Schema<UpdateComment> = z.strictObject({ body }).meta({ id: "UpdateComment" });

const reason = prose({ max: 500 }).nullish();

/** Why a comment is hidden. */
export interface HideComment {
  /** For the audit log. */
  reason?: string | null;
}
export const HideComment: Schema<HideComment> = z.strictObject({ reason }).meta({ id: "HideComment" });

/** Whether comments are locked. */
export interface LockComments {
  target: CommentTarget;
  locked: boolean;
  /** For the audit log. */
  reason?: string | null;
}
export const LockComments: Schema<LockComments> = z
  .strictObject({ target: CommentTarget, locked: z.boolean(), reason })
  .meta({ id: "LockComments" });

/** Whether comments are locked now. Those on a version or a change request are while those on its prompt are. */
export interface CommentLock {
  target: CommentTarget;
  locked: boolean;
}
export const CommentLock: Schema<CommentLock> = z
  .strictObject({ target: CommentTarget, locked: z.boolean() })
  .meta({ id: "CommentLock" });
