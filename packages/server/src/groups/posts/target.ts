import type { PostStatus, ReviewDecision } from "@promptreg/core";
import { piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { ownedBy, owns, seesPrivate } from "../../kernel/accounts/ownership.ts";
import type { TargetKind } from "../../kernel/target.ts";

/** What the code needs to know about a post. */
export interface PostRow {
  id: string;
  /** Its author. */
  ownerId: string;
  ownerHandle: string;
  /** Whether the author's posts need no review. */
  isTrusted: boolean;
  slug: string;
  status: PostStatus;
  /** The revision that everybody reads, and the one that is being written. */
  publicId: string | null;
  workingId: string;
  /** Of the text that it shows. */
  title: string;
  tags: string[];
  coverMediaId: string | null;
  seriesId: string | null;
  /** The last decision of a moderator. */
  decision: ReviewDecision | null;
  isDeleted: boolean;
  revision: string;
}

declare module "../../kernel/target.ts" {
  interface Targets {
    post: PostRow;
  }
}

/** The columns of a PostRow, from `posts b` joined with `users bo`. */
export const postColumns = piece`
  b.id, b.owner_id as "ownerId", bo.handle as "ownerHandle", bo.trusted_author as "isTrusted", b.slug, b.status,
  b.public_id as "publicId", b.working_id as "workingId",
  (select title from post_revisions where id = coalesce(b.public_id, b.working_id)) as title, b.tags,
  b.cover_media_id as "coverMediaId", b.series_id as "seriesId", b.decision, b.deleted_at is not null as "isDeleted", b.revision::text`;

/** Whether everybody sees `posts b`, and finds it in lists. The indexes contain only these. */
export const isPostListed = piece`(b.public_id is not null and b.deleted_at is null)`;

const ownedByAccount = ownedBy<{ account: Fragment | string | null }>((_, { account }) => account, "b");
/** Whether `posts b` is an account's own. */
export const isOwnPost = (sql: Sql, account: Fragment | string | null): Fragment =>
  ownedByAccount(sql, { account });

/** The post of an id, as a table that is found by its key alone. */
export const postById = (sql: Sql, id: Fragment): Fragment =>
  sql`(select * from posts where id = ${id} offset 0)`;

/** Everybody sees what is published; moderators see what is in review, too. */
export const postTarget: TargetKind<PostRow, { id: string }> = {
  parse: (id) => ({ id }),
  alias: "b",
  from: (sql, { id }) => sql`from posts b join users bo on bo.id = b.owner_id where b.id = ${id}`,
  columns: postColumns,

  visibility(post, caller) {
    const isInReview = post.status === "in_review" && caller !== null && caller.role !== "user";
    if (post.publicId === null && !isInReview && !seesPrivate(caller, post)) return "hidden";
    return post.isDeleted ? "gone" : "visible";
  },

  roles: (post, caller) => (owns(caller, post) ? ["author"] : []),
};

/** Whether an account can see a post, whose id is SQL. A subquery with one value, as for prompts. */
export const isPostVisible = (
  sql: Sql,
  { id, viewerId }: { id: Fragment; viewerId: Fragment },
): Fragment => sql`
  coalesce((
    select b.deleted_at is null and (b.public_id is not null or ${isOwnPost(sql, viewerId)}) from posts b where b.id = ${id}), false)`;

/** The post that an id is of, as something that shows media: whether everybody sees it, and whose it is. */
export const shownByPost = (sql: Sql, id: Fragment): Fragment => sql`
  select b.public_id is not null as "isForAll", b.owner_id from ${postById(sql, id)} b where b.deleted_at is null`;
