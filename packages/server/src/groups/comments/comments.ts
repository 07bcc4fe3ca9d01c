import type { OperationOf, Threads } from "@promptreg/core";
import { apiError, invalid } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import type { Caller } from "../../kernel/accounts/caller.ts";
import type { Context, Handler, HandlerWith } from "../../kernel/handler.ts";
import { goesOn } from "../../kernel/lists/fitting.sql.ts";
import { lockTarget } from "../../kernel/targets/load.ts";
import { selectMadeWith } from "../makes/index.ts";
import { extend } from "../prompts/index.ts";
import { blankComment, countReply, insertComment, selectComment, updateComment } from "./comments.sql.ts";
import {
  addressOf,
  commentUrl,
  type Discussion,
  discussionOf,
  isDraft,
  ownsDiscussed,
} from "./discussion.ts";
import { selectHeld, selectLock, selectOwn, selectThreads } from "./list.sql.ts";
import { publish } from "./publish.ts";
import { countShown, setStatus } from "./status.ts";
import { type CommentRow, commentTarget, requireVisible } from "./target.ts";
import { judge, type ReadText, readText } from "./text.ts";

export { hide, lock, unhide } from "./moderate.ts";
export { mentions } from "./mentions.ts";

type Listing = Pick<Context<OperationOf<"comments.list">>, "query" | "caller" | "page" | "sql" | "server">;

/** All comments that the caller wrote. */
async function listOwn({ query, caller, page, sql, server: { publicUrl } }: Listing) {
  const filter = (["target", "status", "sort"] as const).find((name) => query[name] !== undefined);
  if (filter) throw invalid(`/${filter}`, "Leave this out: all that you wrote is listed, the newest first.");
  const rows = await selectOwn(sql, { page, caller: caller as Caller, publicUrl });
  const { json } = page.reply(rows, { goesOn: goesOn(rows, page) });
  return { status: 200 as const, json: extend<Threads>(json, '"locked":false') };
}

/** All comments that wait for a moderator. */
async function listHeld({ query, caller, page, sql, server: { publicUrl } }: Listing) {
  if (query.status === undefined) throw invalid("/target", "Name what is commented on.");
  if (caller === null || caller.role === "user")
    throw apiError("forbidden", { message: "Only moderators list what is held." });
  const { json } = page.reply(await selectHeld(sql, { page, caller, publicUrl }));
  return { status: 200 as const, json: extend<Threads>(json, '"locked":false') };
}

export const list: Handler<"comments.list"> = async ({ query, caller, target, page, sql, server }) => {
  if (query.author !== undefined) return listOwn({ query, caller, page, sql, server });
  if (target === null) return listHeld({ query, caller, page, sql, server });
  if (query.status !== undefined)
    throw invalid("/status", "Leave the target out: this lists all that are held.");
  // The replies of a thread stand below the comment that began it.
  if (target.type === "comment" && target.parentId !== null) throw apiError("not_found");
  const discussion = target.type === "comment" ? target : discussionOf(target);
  const [rows, { locked, isModerators }] = await Promise.all([
    selectThreads(sql, {
      list: target.type === "comment" ? target.id : discussion.key,
      ...(query.sort && { sort: query.sort }),
      page,
      caller,
      address: addressOf(discussion),
      publicUrl: server.publicUrl,
    }),
    selectLock(sql, discussion),
  ]);
  const { json } = page.reply(rows, { goesOn: goesOn(rows, page) });
  const isModerator = caller !== null && caller.role !== "user";
  const viewer = caller && {
    canComment: isModerator || !locked,
    canLock: isModerator || (ownsDiscussed(caller, discussion) && !isModerators),
  };
  const more = { locked, ...(viewer && { viewer }) };
  return { status: 200, json: extend<Threads>(json, JSON.stringify(more).slice(1, -1)) };
};

/** Nobody but its owner sees it. */
const draftError = ({ other }: Discussion) =>
  other === null
    ? apiError("prompt_not_published")
    : invalid("/target", `This ${other.type} is a draft. Publish it first.`);

/**
 * The comment to reply to. Needs the prompt's lock.
 * @throws {ApiError} if the caller cannot see it, or if nobody can reply to it.
 */
async function findParent(sql: Sql, { key }: Discussion, id: string, caller: Caller): Promise<CommentRow> {
  const parent = await lockTarget(sql, commentTarget, { id });
  if (parent === null || parent.key !== key || commentTarget.visibility(parent, caller) !== "visible")
    throw apiError("not_found", { message: "There is no such comment to reply to here." });
  requireVisible(parent);
  return parent;
}

export const create: HandlerWith<"comments.create", { prepared: ReadText }> = {
  prepare: ({ body, server }) => readText(body.body, server),

  async handle(context) {
    const { body, caller, target, prepared, sql, server } = context;
    const discussion = discussionOf(target);
    const { key, prompt } = discussion;
    if (isDraft(discussion)) throw draftError(discussion);
    const answered = body.parentId ? await findParent(sql, discussion, body.parentId, caller) : null;
    const parentId = answered && (answered.parentId ?? answered.id);
    // Before the account, whose lock others take after that of a prompt.
    if (discussion.other?.type === "make") await selectMadeWith(sql, discussion.other);
    const [{ locked }, { newId: id, ...written }] = await Promise.all([
      selectLock(sql, discussion),
      judge(sql, caller, prepared),
    ]);
    if (locked && caller.role === "user") throw apiError("thread_locked");
    const replyTo = answered && answered.id;
    const comment = {
      ...written,
      id,
      promptId: prompt?.id ?? null,
      key,
      parentId,
      replyTo,
      authorId: caller.id,
    };
    const { publicUrl } = server;
    const published = { ...discussion, ...comment, author: caller, body: body.body };
    // Sent without waiting for each other. PostgreSQL runs them in this order.
    const [, json] = await Promise.all([
      insertComment(sql, comment),
      selectComment(sql, { id, caller, address: addressOf(discussion), publicUrl }),
      ...(written.isHeld
        ? []
        : [
            parentId !== null && countReply(sql, parentId, 1),
            countShown(sql, discussion, 1),
            publish(context, published),
          ]),
    ]);
    return {
      status: 201,
      json,
      location: commentUrl(publicUrl, discussion, id),
      subject: { id },
    };
  },

  replay: ({ caller, target, sql, server: { publicUrl }, subject }) =>
    selectComment(sql, { id: subject.id, caller, address: addressOf(discussionOf(target)), publicUrl }),
};

export const update: HandlerWith<"comments.update", { prepared: ReadText }> = {
  prepare: ({ body, server }) => readText(body.body, server),

  async handle({ body, caller, target: comment, prepared, sql, server: { publicUrl } }) {
    const { id, status } = comment;
    if (status === "deleted") throw apiError("comment_deleted");
    if (status === "hidden") throw apiError("comment_hidden");
    if (!comment.isRecent) throw apiError("edit_window_closed");
    if (body.body !== comment.body) {
      const written = await judge(sql, caller, prepared);
      await updateComment(sql, id, written);
      // Otherwise an edit would be a way around it.
      if (written.isHeld) await setStatus(sql, comment, "held");
    }
    return {
      status: 200,
      json: await selectComment(sql, { id, caller, address: addressOf(comment), publicUrl }),
    };
  },
};

const remove: Handler<"comments.delete"> = async ({ caller, target: comment, sql, audit }) => {
  const { id, status, authorId, key } = comment;
  if (status === "deleted") throw apiError("comment_deleted");
  await blankComment(sql, id);
  await setStatus(sql, comment, "deleted");
  await audit("comment.delete", id, { on: key, ...(caller.id !== authorId && { authorId }) });
  return { status: 204 };
};
export { remove as delete };
