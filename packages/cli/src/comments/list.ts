import type { Comment, Thread } from "@promptreg/client";
import type { CommentTarget, ListComments } from "@promptreg/core";
import { take } from "../requests/take.ts";
import type { Context } from "../settings/context.ts";
import type { Output } from "../terminal/output.ts";
import { cell, plain } from "../terminal/text.ts";

interface ListOptions extends Pick<ListComments, "sort"> {
  thread?: string;
  limit: number;
}

export async function listComments(
  { connect, output }: Context,
  { type, id }: CommentTarget,
  { sort, thread, limit }: ListOptions,
): Promise<void> {
  const client = await connect();
  const target = thread === undefined ? `${type}:${id}` : `comment:${thread}`;
  const asked = client.comments.list({ query: { target, sort, limit: Math.min(limit, 100) } });
  const { items, hasMore } = await take(asked, limit);
  const { locked } = await asked;
  output.result({ items, hasMore, locked }, () => items.map((one) => asText(one, output)).join("\n\n"));
  if (output.isJson) return;
  if (items.length === 0) output.note("There are no comments.");
  output.more(hasMore);
  if (locked) output.note("Comments are locked: only moderators can write more.");
}

/** The comments that wait for a moderator, each with what it is about. */
export async function listHeld({ connect, output }: Context, { limit }: { limit: number }): Promise<void> {
  const client = await connect();
  const asked = client.comments.list({ query: { status: "held", limit: Math.min(limit, 100) } });
  const { items, hasMore } = await take(asked, limit);
  output.result({ items, hasMore }, () =>
    items.map((one) => `${cell(one.target.id)}\n${drawn(one, output, "  ")}`).join("\n\n"),
  );
  if (output.isJson) return;
  if (items.length === 0) output.note("No comment waits for a moderator.");
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
