import type { Comment } from "@promptreg/core";
import type { Sql } from "../../database/sql.ts";
import { count } from "../../kernel/changes/counters.ts";
import { countReply, updateStatus } from "./comments.sql.ts";
import { type Discussion, placeIdOf } from "./discussion.ts";
import { type CommentRow, isOpen } from "./target.ts";

type WithStatus = Pick<CommentRow, "status" | "parentId" | "parentStatus" | "replyCount">;

/** How many comments everybody is shown of a comment and its replies. */
const shownOf = ({ status, parentId, parentStatus, replyCount }: WithStatus): number => {
  const own = status === "visible" && isOpen(parentStatus) ? 1 : 0;
  return parentId === null && isOpen(status) ? own + replyCount : own;
};

/** Counts the comments on a prompt, a make or a post. Those on versions and change requests stand elsewhere. */
export const countShown = async (sql: Sql, discussion: Discussion, delta: number): Promise<void> => {
  const subjectId = placeIdOf(discussion);
  if (delta !== 0 && discussion.key === subjectId) await count(sql, { subjectId, name: "comments", delta });
};

/** Sets what a comment is now, and counts what everybody is shown then. Needs the lock of what is discussed. */
export async function setStatus(sql: Sql, comment: CommentRow, status: Comment["status"]): Promise<void> {
  await updateStatus(sql, comment.id, status);
  const isVisible = (one: Comment["status"]) => Number(one === "visible");
  const replies = isVisible(status) - isVisible(comment.status);
  if (comment.parentId !== null && replies !== 0) await countReply(sql, comment.parentId, replies);
  await countShown(sql, comment, shownOf({ ...comment, status }) - shownOf(comment));
}
