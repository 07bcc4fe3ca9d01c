import { inLine, type OperationOf } from "@promptreg/core";
import type { Context } from "../../kernel/handler.ts";
import { selectMadeWith } from "../makes/index.ts";
import { selectAuthors, selectProposer } from "./comments.sql.ts";
import { addressOf, commentUrl, type Discussion, sees } from "./discussion.ts";

/** A comment that everybody is shown from now on. */
export type Published = Discussion & {
  id: string;
  author: { id: string; handle: string };
  parentId: string | null;
  replyTo: string | null;
  body: string;
  mentions: readonly string[];
};

type Telling = Pick<Context<OperationOf<"comments.create">>, "sql" | "emit" | "notify" | "server">;

/**
 * Writes the event of a comment, and notifies those whom it concerns: whom it mentions, whose comment it answers, and who proposed the
 * change that it is about. Each of them gets this one notification, also if they watch the prompt or own it. An event about a make has the first public
 * prompt that it was made with, whose owner and watchers hear of it too; one about a post has none.
 */
export async function publish({ sql, emit, notify, server }: Telling, comment: Published): Promise<void> {
  const { id, key, other, author: actor, parentId, replyTo, body, mentions } = comment;
  const prompt = other?.type === "make" ? await selectMadeWith(sql, other) : comment.prompt;
  const data = {
    comment: {
      id,
      url: commentUrl(server.publicUrl, comment, id),
      target: addressOf(comment),
      parentId,
      excerpt: inLine(body),
    },
  };
  const concerned = new Set([
    ...(parentId === null ? [] : await selectAuthors(sql, [parentId, replyTo])),
    ...(key.includes("!") ? await selectProposer(sql, comment) : []),
  ]);
  const notified = new Map<string, "comment.created" | "comment.mentioned">();
  for (const userId of concerned) notified.set(userId, "comment.created");
  for (const userId of mentions) notified.set(userId, "comment.mentioned");
  for (const [userId, type] of notified) {
    // Nobody hears of what they cannot see.
    if (sees(comment, { id: userId, role: "user" }) !== "visible") continue;
    await notify(type, { prompt, actor, userId, ...(other && { subjectId: other.id }) }, data);
  }
  const isUnlisted = other?.type === "make" && other.visibility === "unlisted";
  const receivers = other && { alsoTo: [other.ownerId], isUnlisted };
  await emit("comment.created", { prompt, actor, notifiedIds: [...notified.keys()], ...receivers }, data);
}
