import type { Comment, Thread } from "@promptreg/client";
import type { CommentTarget, ListComments } from "@promptreg/core";
import { UsageError } from "../errors.ts";
import { take } from "../requests/take.ts";
import type { Context } from "../settings/context.ts";
import type { Output } from "../terminal/output.ts";
import { cell, plain } from "../terminal/text.ts";

interface ListOptions extends Pick<ListComments, "sort"> {
  mine?: boolean;
  thread?: string;
  limit: number;
}

export async function listComments(
  context: Context,
  of: CommentTarget | undefined,
  { sort, mine: isMine, thread, limit }: ListOptions,
): Promise<void> {
  if ((of === undefined) !== (isMine === true))
    throw new UsageError("Name what is commented on, or write --mine for all that you wrote.");
  if (of === undefined)
    return listBeside(context, { author: "me" }, { limit, none: "You wrote no comments." });
  const { connect, output } = context;
  const client = await connect();
  const target = thread === undefined ? `${of.type}:${of.id}` : `comment:${thread}`;
  const asked = client.comments.list({ query: { target, sort, limit: Math.min(limit, 100) } });
  const { items, hasMore } = await take(asked, limit);
  const { locked } = await asked;
  output.result({ items, hasMore, locked }, () => items.map((one) => asText(one, output)).join("\n\n"));
  if (output.isJson) return;
  if (items.length === 0) output.note("There are no comments.");
  output.more(hasMore);
  if (locked) output.note("Comments are locked: only moderators can write more.");
}

/** The comments that wait for a moderator. */
export const listHeld = (context: Context, { limit }: { limit: number }): Promise<void> =>
  listBeside(context, { status: "held" }, { limit, none: "No comment waits for a moderator." });

/** Comments on different things, each with what it is on. */
async function listBeside(
  { connect, output }: Context,
  which: Pick<ListComments, "author" | "status">,
  { limit, none }: { limit: number; none: string },
): Promise<void> {
  const client = await connect();
  const asked = client.comments.list({ query: { ...which, limit: Math.min(limit, 100) } });
  const { items, hasMore } = await take(asked, limit);
  output.result({ items, hasMore }, () =>
    items.map((one) => `${cell(one.target.id)}\n${drawn(one, output, "  ")}`).join("\n\n"),
  );
  if (output.isJson) return;
  if (items.length === 0) output.note(none);
  output.more(hasMore);
}

function asText({ replies, replyCount, ...root }: Thread, output: Output): string {
  const more = replyCount - replies.length;
  const below = replies.map((reply) => drawn(reply, output, "    "));
  if (more > 0) below.push(`    ${more} more: --thread ${root.id}`);
  return [drawn(root, output, ""), ...below].join("\n\n");
}

function drawn(
  { id, author, createdAt, editedAt, status, votes, body }: Comment,
  output: Output,
  indent: string,
): string {
  const about = [
    author ? output.colors.bold(cell(author.handle)) : "deleted",
    id,
    output.moment(createdAt),
    editedAt !== null && "edited",
    status !== "visible" && status !== "deleted" && output.colors.yellow(status),
    votes.up + votes.down > 0 && `+${votes.up} −${votes.down}`,
  ];
  const lines = body === null ? [] : plain(body).split("\n");
  return [about.filter(Boolean).join("  "), ...lines.map((line) => `  ${line}`)]
    .map((line) => `${indent}${line}`.trimEnd())
    .join("\n");
}
