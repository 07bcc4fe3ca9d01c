import type { Post, UpdatePost } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { UsageError } from "../errors.ts";
import type { Client } from "../requests/client.ts";
import type { Context } from "../settings/context.ts";
import type { Output } from "../terminal/output.ts";
import { cell, countOf } from "../terminal/text.ts";
import { hintingAtSeries, nameOf, stateOf } from "./find.ts";

/** Says what became of a post. A token that may not read gets no answer. */
const tell = (output: Output, id: string, { post, done }: { post: Post | undefined; done: string }) =>
  output.result(post ?? null, () => `${output.colors.bold(id)} ${done}${post ? `, ${stateOf(post)}` : ""}`);

interface EditOptions extends Pick<UpdatePost, "title" | "summary" | "slug"> {
  tag?: string[];
  /** False is what `--no-series` says. */
  series?: string | false;
}

export async function editPost(
  { connect, output }: Context,
  id: string,
  { tag, series, ...others }: EditOptions,
): Promise<void> {
  const change: UpdatePost = {
    ...others,
    ...(tag && { tags: tag }),
    ...(series !== undefined && { seriesId: series === false ? null : series }),
  };
  if (Object.keys(change).length === 0)
    throw new UsageError("Name what to change, such as --title, --summary, --tag, --slug or --series.");
  const client = await connect();
  const post = await hintingAtSeries(change, client.posts.update({ id, body: change }));
  tell(output, id, { post, done: "is edited" });
}

export async function submitPost(
  { connect, output }: Context,
  id: string,
  { note }: { note?: string },
): Promise<void> {
  const client = await connect();
  const post: Post | undefined = await client.posts.submit({ id, body: { note } });
  const name = output.colors.bold(id);
  output.result(post ?? null, () =>
    post?.status === "in_review"
      ? `${name} is in review: a moderator decides`
      : `${name} is ${post ? "published" : "submitted"}`,
  );
}

export async function withdrawPost({ connect, output }: Context, id: string): Promise<void> {
  const client = await connect();
  tell(output, id, { post: await client.posts.withdraw({ id }), done: "is withdrawn" });
}

export async function unpublishPost(
  { connect, confirm, output }: Context,
  id: string,
  { reason }: { reason?: string },
): Promise<void> {
  const client = await connect();
  const post = await client.posts.get({ id });
  await confirm(`Take back the post ${nameOf(post)}? Nobody else can read it then.`);
  const now = await client.posts.unpublish({ id, body: { reason } });
  // A moderator does not see the draft that it is.
  output.result(now ?? null, () => `${output.colors.bold(id)} is not published any more`);
}

export async function deletePost({ connect, confirm, output }: Context, id: string): Promise<void> {
  const client = await connect();
  await confirm(`Delete the post ${nameOf(await client.posts.get({ id }))}, with its revisions?`);
  await client.posts.delete({ id });
  output.result({ id, deleted: true }, () => `${output.colors.bold(id)} is deleted`);
}

/** The text of a post that waits for a moderator. */
async function waitingOf(client: Client, id: string): Promise<string> {
  const { submission } = await client.posts.get({ id });
  if (submission) return submission.revisionId;
  throw apiError("post_not_in_review", { message: `Nothing of ${id} waits for a moderator.` });
}

/** Why a post is sent back: its author reads it. */
async function reasonOf({ ask }: Context, given: string | undefined): Promise<string> {
  const reason = given ?? (await ask?.text("Why? Its author reads it."));
  if (reason?.trim()) return reason;
  throw new UsageError("Say why with --reason. Its author reads it.");
}

export async function reviewPost(
  context: Context,
  id: string,
  {
    approve,
    reject,
    reason: given,
    revision,
  }: { approve?: boolean; reject?: boolean; reason?: string; revision?: string },
): Promise<void> {
  if (Boolean(approve) === Boolean(reject))
    throw new UsageError("Write --approve to publish it, or --reject to send it back.");
  const decision = approve ? "approved" : "rejected";
  const reason = reject ? await reasonOf(context, given) : given;
  const { connect, confirm, output } = context;
  const client = await connect();
  const revisionId = revision ?? (await waitingOf(client, id));
  // Its author can submit another text while a moderator reads one.
  if (revision === undefined) {
    const { title, words, createdAt } = await client.posts.revisions.get({ id, revisionId });
    const text = `${revisionId} ${cell(JSON.stringify(title))}, ${countOf(words, "word")}, written ${output.moment(createdAt)}`;
    await confirm(`${approve ? "Publish" : "Send back"} ${text}?`);
  }
  const post: Post | undefined = await client.posts.update({
    id,
    body: { review: { decision, reason, revisionId } },
  });
  output.result(post ?? null, () => `${output.colors.bold(id)} is ${decision}. Its author is told.`);
}
