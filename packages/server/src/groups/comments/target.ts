import type { Comment } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { TargetKind } from "../../kernel/target.ts";
import { makeColumns } from "../makes/index.ts";
import { postColumns } from "../posts/index.ts";
import { promptColumns } from "../prompts/index.ts";
import { type Discussion, sees } from "./discussion.ts";

/** What the code needs to know about a comment. */
export type CommentRow = Discussion & {
  id: string;
  revision: string;
  /** The comment that began its thread, and what became of that; null if this one did. */
  parentId: string | null;
  parentStatus: Comment["status"] | null;
  replyTo: string | null;
  authorId: string;
  authorHandle: string;
  body: string | null;
  mentions: string[];
  status: Comment["status"];
  replyCount: number;
  /** Whether everybody was told of it. */
  isPublished: boolean;
  /** Whether it is young enough for an edit. */
  isRecent: boolean;
};

declare module "../../kernel/target.ts" {
  interface Targets {
    comment: CommentRow;
  }
}

/** Whether the replies of a comment are shown, as far as they are visible themselves. */
export const isOpen = (status: Comment["status"] | null): boolean =>
  status === null || status === "visible" || status === "deleted";

/** @throws {ApiError} if not everybody is shown the text of a comment. */
export function requireVisible({ status, parentStatus }: Pick<CommentRow, "status" | "parentStatus">): void {
  if (status === "deleted") throw apiError("comment_deleted");
  if (status !== "visible" || !isOpen(parentStatus)) throw apiError("comment_hidden");
}

/** Who sees its target sees it, unless it or its thread is held or hidden. */
export const commentTarget: TargetKind<CommentRow, { id: string }> = {
  parse: (id) => ({ id }),
  alias: "c",
  lockFirst: (sql, { id }, strength) => [
    sql`
      select from makes k join comments c on c.target = k.id where c.id = ${id} for ${strength} of k`,
    sql`
      select from posts b join comments c on c.target = b.id where c.id = ${id} for ${strength} of b`,
    sql`
      select from prompts p join comments c on c.prompt_id = p.id where c.id = ${id} for ${strength} of p`,
  ],
  from: (sql, { id }) => sql`
    from comments c join users a on a.id = c.author_id
      left join (prompts p join users o on o.id = p.owner_id) on p.id = c.prompt_id
      left join (makes k join users mo on mo.id = k.owner_id) on k.id = c.target
      left join (posts b join users bo on bo.id = b.owner_id) on b.id = c.target
    where c.id = ${id}`,
  columns: (sql) => sql`
    c.id, c.revision::text, c.target as key, case when p.id is not null then (select row_to_json(q) from (select ${promptColumns(sql)}) q) end as prompt,
    case when k.id is not null then (select row_to_json(q) from (select 'make' as type, ${makeColumns(sql)}) q)
      when b.id is not null then (select row_to_json(q) from (select 'post' as type, ${postColumns(sql)}) q) end as other,
    c.parent_id as "parentId", (select status from comments where id = c.parent_id) as "parentStatus",
    c.reply_to as "replyTo", c.author_id as "authorId", a.handle as "authorHandle", c.body, c.mentions,
    c.status as status, c.reply_count as "replyCount", c.published_at is not null as "isPublished",
    c.created_at > clock() - interval '24 hours' as "isRecent"`,
  lockedBy: ({ prompt, other }) => (prompt === null ? `${other.type} ${other.id}` : `prompt ${prompt.id}`),

  visibility(comment, caller) {
    const { status, parentStatus, replyCount, authorId } = comment;
    const isShown =
      isOpen(parentStatus) && (status === "visible" || (status === "deleted" && replyCount > 0));
    const isParty = caller !== null && (caller.id === authorId || caller.role !== "user");
    if (!isShown && !(isParty && status !== "deleted")) return "hidden";
    return sees(comment, caller);
  },

  roles: ({ authorId }, caller) => (caller.id === authorId ? ["author"] : []),
};
