import type { Post } from "@promptreg/core";
import { advise, InputError, naming } from "../errors.ts";
import type { Client } from "../requests/client.ts";
import { cell } from "../terminal/text.ts";
import { type IfUnchanged, ifUnchanged } from "../requests/if-unchanged.ts";

/** A post of the caller's, and the header with which a change is refused if it changed since. */
export interface OwnPost {
  post: Post;
  unchanged: IfUnchanged;
}

/** @throws {InputError} if it is somebody else's, or was deleted. */
export async function findOwn(client: Client, id: string): Promise<OwnPost> {
  const { data: post, response } = await naming(id, () =>
    client.posts
      .get({ id })
      .withResponse()
      .catch((error: { status?: unknown }) => {
        if (error.status !== 410) throw error;
        throw new InputError("The post was deleted. Take the id out of its file to make a new post of it.");
      }),
  );
  if (post.viewer?.isAuthor !== true)
    throw new InputError(
      `${id} is a post of ${post.author.handle}. Only its author pushes and pulls it: a file without the id makes a post of your own.`,
    );
  return { post, unchanged: ifUnchanged(response) };
}

/** Says where one's series are listed, if what was not found may be the series that a post was to be in. */
export async function hintingAtSeries<Value>(
  { seriesId }: { seriesId?: string | null | undefined },
  change: Promise<Value>,
): Promise<Value> {
  try {
    return await change;
  } catch (error) {
    if ((error as { code?: unknown }).code !== "not_found" || !seriesId) throw error;
    throw advise(
      error as Error,
      `Is the series ${seriesId} deleted? \`promptreg post series list\` shows those that you have.`,
    );
  }
}

/** What a post is, in words. */
export function stateOf({ status, hasUnpublishedChanges }: Pick<Post, "status" | "hasUnpublishedChanges">) {
  if (status === "in_review") return "in review";
  return status === "published" && hasUnpublishedChanges ? "published, with unpublished changes" : status;
}

/** How people read which post it is. */
export const nameOf = (post: Pick<Post, "id" | "title" | "workingCopy">): string =>
  `${post.id} ${cell(JSON.stringify((post.workingCopy ?? post).title))}`;
