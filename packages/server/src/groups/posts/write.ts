import type { AutosavePost, OperationOf, PostRevision, WorkingCopy } from "@promptreg/core";
import { apiError, invalid } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import { requireBytes, selectStorage } from "../../kernel/changes/account-bytes.ts";
import { owns } from "../../kernel/accounts/ownership.ts";
import type { Context, HandlerWith, Replay } from "../../kernel/handler.ts";
import { lookingOf } from "../../kernel/media/looking.ts";
import {
  addRevision,
  discardWorking,
  movePost,
  type PostText,
  replaceWorking,
  type RevisionRow,
  selectRevision,
} from "./posts.sql.ts";
import { publishWorking, unpublishNow } from "./review.ts";
import { findPost, selectAutosaved, selectPost } from "./shown.sql.ts";
import type { PostRow } from "./target.ts";
import { isSame, prepareText, type Prepared, textWith } from "./text.ts";

/** The post that is shown again if the first response was too long to be kept. */
export const replay = async ({ caller, sql, server, subject }: Replay<unknown, unknown>) =>
  (await selectPost(sql, { id: subject.id, ...lookingOf(caller, server) })).json;

type Showing = Pick<Context<OperationOf<"posts.submit">>, "caller" | "sql" | "server">;

/** The reply about a post. A moderator who took it back or rejected it sees nothing of it any more. */
export async function shown({ caller, sql, server }: Showing, { id }: PostRow) {
  const found = await findPost(sql, { id, ...lookingOf(caller, server) });
  return found === null ? { status: 204 as const } : { status: 200 as const, ...found, subject: { id } };
}

/** The text of a post that is being written. */
export async function workingOf(sql: Sql, { id, workingId }: PostRow): Promise<RevisionRow> {
  const working = await selectRevision(sql, { postId: id, id: workingId });
  if (working === null) throw new Error(`the text of a post is gone: ${id}`);
  return working;
}

/** Saves a text of a post that is not in review, unless it is there already. `joins`: as a part of the last save, if that is young. */
export async function save(
  context: Pick<Showing, "sql" | "server">,
  post: PostRow,
  {
    sent,
    prepared,
    kind,
    joins = false,
  }: { sent: AutosavePost; prepared: Prepared | null; kind: PostRevision["kind"]; joins?: boolean },
): Promise<void> {
  if (sent.title === undefined && sent.summary === undefined && prepared === null) return;
  const { sql } = context;
  const working = await workingOf(sql, post);
  await write(context, post, {
    working,
    text: textWith(working, sent, prepared),
    kind,
    joins: joins && working.kind === "autosave" && working.isYoung,
  });
}

/**
 * Makes a text the one that is being written, instead of `working`, unless they are the same. The one that everybody reads is no other text: then nothing is unpublished.
 * @throws {ApiError} `quota_exceeded`.
 */
export async function write(
  { sql, server }: Pick<Showing, "sql" | "server">,
  post: PostRow,
  {
    working,
    text,
    kind,
    joins = false,
  }: { working: RevisionRow; text: PostText; kind: PostRevision["kind"]; joins?: boolean },
): Promise<void> {
  const { id, publicId, workingId } = post;
  if (isSame(working, text)) return;
  const read =
    publicId !== null && publicId !== workingId
      ? await selectRevision(sql, { postId: id, id: publicId })
      : null;
  if (read !== null && isSame(read, text)) return discardWorking(sql, id);
  if (joins) await replaceWorking(sql, { id, text });
  else await addRevision(sql, { postId: id, kind, text });
  requireBytes(server, { ...(await selectStorage(sql, post.ownerId)), more: 0 });
}

export const autosave: HandlerWith<"posts.autosave", { prepared: Prepared | null }> = {
  prepare: ({ body }) => prepareText(body),

  async handle({ body, target: post, prepared, headers, sql, server }) {
    if (post.status === "in_review") throw apiError("post_in_review");
    // Whoever names the text that it was written on replaces it; anybody else might not have seen it.
    const { "if-match": ifMatch = "*" } = headers;
    await save({ sql, server }, post, { sent: body, prepared, kind: "autosave", joins: ifMatch !== "*" });
    return { status: 200, json: await selectAutosaved(sql, post.id) };
  },
};

/** @throws {ApiError} `validation_failed` for a text without a body. */
function requireBody({ body }: Pick<WorkingCopy, "body">): void {
  if (body.trim() === "") throw invalid("/body", "A post needs a body before it is submitted.");
}

export const submit: HandlerWith<"posts.submit", {}> = {
  async handle(context) {
    const { body, target: post, sql } = context;
    if (post.status === "in_review") throw apiError("post_in_review");
    if (post.publicId !== post.workingId) {
      requireBody(await workingOf(sql, post));
      // What a moderator took back is published by a moderator.
      if (post.isTrusted && post.decision !== "unpublished") await publishWorking(context, post);
      else await movePost(sql, post.id, { status: "in_review", submission: { note: body.note || null } });
    }
    return shown(context, post);
  },
  replay,
};

export const withdraw: HandlerWith<"posts.withdraw", {}> = {
  async handle(context) {
    const { target: post, sql } = context;
    if (post.status !== "in_review") throw apiError("post_not_in_review");
    await movePost(sql, post.id, { status: post.publicId === null ? "draft" : "published" });
    return shown(context, post);
  },
  replay,
};

export const unpublish: HandlerWith<"posts.unpublish", {}> = {
  async handle(context) {
    const { body, caller, target: post } = context;
    if (post.publicId === null) throw apiError("post_not_published");
    await unpublishNow(context, post, owns(caller, post) ? null : { reason: body.reason || null });
    return shown(context, post);
  },
  replay,
};
