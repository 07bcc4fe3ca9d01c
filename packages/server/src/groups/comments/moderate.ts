import type { CommentLock } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import { owns } from "../../kernel/accounts/ownership.ts";
import type { Handler, HandlerWith } from "../../kernel/handler.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { deleteLock, insertLock, selectComment } from "./comments.sql.ts";
import { addressOf, discussionOf, ownsDiscussed } from "./discussion.ts";
import { selectLock } from "./list.sql.ts";
import { publish } from "./publish.ts";
import { setStatus } from "./status.ts";
import { type CommentRow, isOpen } from "./target.ts";

const show = (sql: Sql, comment: CommentRow, { caller, server }: { caller: Caller; server: ServerContext }) =>
  selectComment(sql, { id: comment.id, caller, address: addressOf(comment), publicUrl: server.publicUrl });

export const hide: HandlerWith<"comments.hide", {}> = {
  async handle({ body: { reason = null }, target: comment, sql, audit, ...context }) {
    const { id, status, authorId, key } = comment;
    if (status === "deleted") throw apiError("comment_deleted");
    if (status !== "hidden") {
      await setStatus(sql, comment, "hidden");
      await audit("comment.hide", id, { on: key, authorId, reason });
    }
    return { status: 200, json: await show(sql, comment, context), subject: {} };
  },
  replay: ({ target: comment, sql, ...context }) => show(sql, comment, context),
};

export const unhide: Handler<"comments.unhide"> = async (context) => {
  const { caller, target: comment, sql, audit } = context;
  const { id, status, authorId, key, body, isPublished } = comment;
  // A report is not decided by whom it is about either.
  if (status !== "visible" && owns(caller, { ownerId: authorId }))
    throw apiError("forbidden", {
      message: "This is your own comment. Another moderator can show it again.",
    });
  if (status === "deleted" || body === null) throw apiError("comment_deleted");
  if (status !== "visible") {
    await setStatus(sql, comment, "visible");
    await audit("comment.unhide", id, { on: key, authorId });
    if (!isPublished && isOpen(comment.parentStatus))
      await publish(context, { ...comment, author: { id: authorId, handle: comment.authorHandle }, body });
  }
  return { status: 200, json: await show(sql, comment, context) };
};

export const lock: Handler<"comments.lock"> = async ({ body, caller, target, sql, audit }) => {
  const { locked, reason = null } = body;
  const discussion = discussionOf(target);
  const { key } = discussion;
  const isOwners = ownsDiscussed(caller, discussion);
  const { isModerators } = await selectLock(sql, discussion);
  if (!locked && isModerators && caller.role === "user")
    throw apiError("forbidden", { message: "A moderator locked this. Only moderators unlock it." });
  // Its owner could unlock it otherwise.
  const takesOver = !isOwners && !isModerators;
  const { count } = await (locked
    ? insertLock(sql, { key, callerId: caller.id, takesOver })
    : deleteLock(sql, key));
  if (count > 0 && !isOwners) await audit(locked ? "comments.lock" : "comments.unlock", key, { reason });
  const now: CommentLock = {
    target: addressOf(discussion),
    locked: (await selectLock(sql, discussion)).locked,
  };
  return { status: 200, json: now };
};
