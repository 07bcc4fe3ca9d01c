import type { Comment } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { TargetKind } from "../../kernel/target.ts";
import { type PromptRow, promptColumns, promptTarget } from "../prompts/index.ts";

/** What the code needs to know about a comment. */
export interface CommentRow {
  id: string;
  revision: string;
  /** What it is about, as the column `target` has it. */
  key: string;
  prompt: PromptRow;
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
}

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
  parse(text) {
    if (!text.startsWith("cmt_")) throw new SyntaxError(`"${text}" is no id of a comment`);
    return { id: text };
  },
  alias: "c",
  lockFirst: (sql, { id }, strength) => sql`
    select from prompts p join comments c on c.prompt_id = p.id where c.id = ${id} for ${strength} of p`,
  from: (sql, { id }) => sql`
    from comments c join prompts p on p.id = c.prompt_id join users o on o.id = p.owner_id
      join users a on a.id = c.author_id
    where c.id = ${id}`,
  columns: (sql) => sql`
    c.id, c.revision::text, c.target as key, (select row_to_json(q) from (select ${promptColumns(sql)}) q) as prompt,
    c.parent_id as "parentId", (select status from comments where id = c.parent_id) as "parentStatus",
    c.reply_to as "replyTo", c.author_id as "authorId", a.handle as "authorHandle", c.body, c.mentions,
    c.status as status, c.reply_count as "replyCount", c.published_at is not null as "isPublished",
    c.created_at > clock() - interval '24 hours' as "isRecent"`,
  lockedBy: ({ prompt }) => `prompt ${prompt.id}`,

  visibility({ prompt, status, parentStatus, replyCount, authorId }, caller) {
    const isShown =
      isOpen(parentStatus) && (status === "visible" || (status === "deleted" && replyCount > 0));
    const isParty = caller !== null && (caller.id === authorId || caller.role !== "user");
    if (!isShown && !(isParty && status !== "deleted")) return "hidden";
    return promptTarget.visibility(prompt, caller);
  },

  roles: ({ authorId }, caller) => (caller.id === authorId ? ["author"] : []),
};
