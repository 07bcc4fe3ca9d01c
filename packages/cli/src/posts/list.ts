import type { ListPosts } from "@promptreg/core";
import { take } from "../requests/take.ts";
import type { Context } from "../settings/context.ts";
import { cell } from "../terminal/text.ts";
import { stateOf } from "./find.ts";

export interface ListOptions extends Pick<ListPosts, "author" | "tag" | "series" | "status" | "sort"> {
  public?: boolean;
  query?: string;
  inReview?: boolean;
  limit: number;
}

export async function listPosts(
  { connect, output }: Context,
  { public: isPublic, author, tag, series, query: q, status, sort, inReview, limit }: ListOptions,
): Promise<void> {
  const isMine = !isPublic && !inReview && [author, tag, series].every((of) => of === undefined);
  const client = await connect();
  const { items, hasMore } = await take(
    client.posts.list({
      query: {
        ...(isMine && { mine: true }),
        author,
        tag,
        series,
        q,
        status: inReview ? "in_review" : status,
        sort,
        limit: Math.min(limit, 100),
      },
    }),
    limit,
  );
  output.result({ items, hasMore }, () =>
    output.table(
      ["post", "title", isMine ? "status" : "author", "updated"],
      items.map((post) => [
        output.colors.bold(post.id),
        cell(post.title),
        isMine ? stateOf(post) : cell(post.author.handle),
        output.moment(post.updatedAt),
      ]),
    ),
  );
  if (output.isJson) return;
  if (items.length === 0) output.note(inReview ? "Nothing waits for a moderator." : "There are no posts.");
  output.more(hasMore);
}
