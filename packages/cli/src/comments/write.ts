import type { Comment } from "@promptreg/client";
import type { CommentTarget, LockComments } from "@promptreg/core";
import type { Context } from "../settings/context.ts";
import { readInput } from "../terminal/read-input.ts";

/** The text of a comment: `-` is standard input. */
const bodyOf = async (text: string, { stdin }: Context): Promise<string> =>
  text === "-" ? readInput("-", stdin) : text;

/** Says what became of it. A token that may not read gets no answer. */
function say({ output }: Context, comment: Comment | undefined, done: string): void {
  const state = comment?.status === "held" ? "waits for a moderator: it looks like spam" : done;
  output.result(
    comment ?? null,
    () => `${comment ? output.colors.bold(comment.id) : "The comment"} ${state}`,
  );
}

export async function addComment(context: Context, target: CommentTarget, text: string): Promise<void> {
  const body = await bodyOf(text, context);
  say(context, await (await context.connect()).comments.create({ body: { target, body } }), "is written");
}

export async function replyToComment(
  context: Context,
  target: CommentTarget,
  parentId: string,
  text: string,
): Promise<void> {
  const body = await bodyOf(text, context);
  const client = await context.connect();
  say(context, await client.comments.create({ body: { target, body, parentId } }), "is written");
}

export async function editComment(context: Context, id: string, text: string): Promise<void> {
  const body = await bodyOf(text, context);
  say(context, await (await context.connect()).comments.update({ id, body: { body } }), "is edited");
}

export async function deleteComment({ connect, confirm, output }: Context, id: string): Promise<void> {
  const client = await connect();
  await confirm(`Delete the comment ${id}? Replies to it stay.`);
  await client.comments.delete({ id });
  output.result({ id, deleted: true }, () => `${output.colors.bold(id)} is deleted`);
}

export async function lockComments({ connect, output }: Context, body: LockComments): Promise<void> {
  const now = await (await connect()).comments.lock({ body });
  // Those on a version stay locked while those on its prompt are.
  const still = now.locked && !body.locked ? ", as on its prompt" : "";
  output.result(now, () => `Comments on ${now.target.id} are ${now.locked ? "locked" : "unlocked"}${still}`);
}
