import type { MediaDetails, Post } from "@promptreg/client";
import type { PostRecord, SeriesRecord } from "@promptreg/core/account";
import { absent } from "../../errors.ts";
import { nameOfMedia } from "../../media/index.ts";
import { mediaIn, newPage, printPost, workingOf } from "../../posts/index.ts";
import { ahead } from "../../requests/ahead.ts";
import { type Entries, jsonEntry, textEntry } from "./entries.ts";
import { count, type Exporting, mediaEntry, oldestFirst, unlessGone } from "./run.ts";

/** The series of the account, with the order of their posts. */
export async function* seriesEntries(run: Exporting): Entries {
  const all: SeriesRecord[] = [];
  const list = await oldestFirst(run.client.posts.series.list({ query: { limit: 100 } }), ({ id }) => id);
  for await (const { id, slug, title, description, posts } of ahead(list, (id) =>
    run.client.posts.series.get({ id }),
  )) {
    all.push({ id, slug, title, description, posts: posts.map((post) => post.slug) });
    count(run, "series");
  }
  yield jsonEntry("series.json", all);
}

/** All posts of the account, as `post pull` writes them, with their pictures. */
export async function* postEntries(run: Exporting): Entries {
  const list = await oldestFirst(
    run.client.posts.list({ query: { mine: true, limit: 100 } }),
    ({ id }) => id,
  );
  for await (const post of ahead(list, (id) =>
    unlessGone(run, `the post ${id}`, run.client.posts.get({ id })),
  )) {
    if (post === null) continue;
    yield* entriesOf(run, post);
    count(run, "posts");
  }
}

async function* entriesOf(run: Exporting, post: Post): Entries {
  const folder = `posts/${post.slug}/`;
  const paths = new Map<string, string>();
  for (const id of mediaOf(post)) {
    const media: MediaDetails | null = await run.client.media.get({ id }).catch(absent);
    if (media === null) {
      run.leaveOut(`the picture ${id} of the post ${post.slug}`, "it is not there");
      continue;
    }
    const path = `pictures/${nameOfMedia(paths.size + 1, media)}`;
    yield* mediaEntry(run, folder + path, media, () => paths.set(id, path));
  }
  yield textEntry(`${folder}post.md`, printPost(newPage("post.md"), post, { paths }));
  // Where a published post is being written on.
  if (post.workingCopy)
    yield textEntry(`${folder}published.md`, printPost(newPage("published.md"), post, { paths, text: post }));
  const { id, status, createdAt, updatedAt, publishedAt } = post;
  yield jsonEntry(`${folder}record.json`, {
    id,
    status,
    createdAt,
    updatedAt,
    publishedAt,
  } satisfies PostRecord);
}

/** The pictures of both texts, and the cover. */
const mediaOf = (post: Post): Set<string> =>
  new Set([...(post.cover ? [post.cover.id] : []), ...mediaIn(workingOf(post).body), ...mediaIn(post.body)]);
