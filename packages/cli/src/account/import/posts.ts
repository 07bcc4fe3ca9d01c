import type { Post } from "@promptreg/client";
import type { SeriesRecord } from "@promptreg/core/account";
import { sha256Of, placeIn } from "../../disk/places.ts";
import { absent } from "../../errors.ts";
import {
  comparable,
  pathOf,
  type PostFile,
  readPost,
  retarget,
  sendPost,
  workingOf,
  writeFields,
} from "../../posts/index.ts";
import type { PostFolder } from "./read-unit.ts";
import { attempt, change, type Importing, leaveOut, leaveTaken, tally } from "./run.ts";

/** Brings the series. Their posts come after them, and are put in order at the end. */
export async function bringSeries(run: Importing, all: readonly SeriesRecord[]): Promise<void> {
  const there = new Map<string, string>();
  if (all.length > 0)
    for await (const { slug, id } of run.client.posts.series.list({ query: { limit: 100 } }))
      there.set(slug, id);
  for (const { id, slug, title, description } of all)
    await attempt(run, `the series ${slug}`, async () => {
      const known = there.get(slug);
      if (known !== undefined) tally(run, "series", "there");
      const create = () => run.client.posts.series.create({ body: { slug, title, description } });
      run.ids.set(id, known ?? (await change(run, "series", create))?.id ?? null);
    });
}

/** Puts the posts of a series in the order of the archive. Those that are not of it stay behind them. */
export async function orderSeries(
  run: Importing,
  all: readonly SeriesRecord[],
  postIds: ReadonlyMap<string, string>,
): Promise<void> {
  for (const { id, slug, posts } of all)
    await attempt(run, `the order of the series ${slug}`, async () => {
      const here = run.ids.get(id);
      if (!here || run.isDryRun) return;
      const present = (await run.client.posts.series.get({ id: here })).posts.map((post) => post.id);
      const wanted = posts
        .flatMap((post) => postIds.get(post) ?? [])
        .filter((post) => present.includes(post));
      const ordered = [...new Set([...wanted, ...present])];
      if (ordered.join() !== present.join())
        await run.client.posts.series.reorder({ id: here, body: { postIds: ordered } });
    });
}

/** Brings a post: the published text first, so that both are among its revisions. */
export async function bringPost(run: Importing, folder: PostFolder): Promise<string | null> {
  const { record, slug, file, published, series } = folder;
  run.doing(`the post ${slug}`);
  const there = await findPost(run, slug);
  const state = there === null ? "none" : await compare(run, there, { work: file, first: published ?? file });
  if (state === "other") {
    leaveTaken(run, `the post ${slug}`, "another post of yours has this slug");
    return null;
  }
  if (there) tally(run, "posts", "there");
  if (series && !run.ids.has(series))
    leaveOut(run, `the series of the post ${slug}`, "it is not in the archive");
  const opens = run.publish && record.status !== "draft" && (there?.status ?? "draft") === "draft";
  const id = await bringTexts(run, folder, { there, state, opens });
  run.ids.set(record.id, id);
  return id;
}

async function bringTexts(
  run: Importing,
  { record, slug, file, published, series }: PostFolder,
  { there, state, opens }: { there: Post | null; state: "none" | "first" | "work"; opens: boolean },
): Promise<string | null> {
  const firstFile = published ?? file;
  const send = async (name: string, about: object) => {
    // Ids and bases are those of the registry that the archive comes from.
    await writeFields(name, {
      id: undefined,
      base: undefined,
      images: undefined,
      series: undefined,
      ...(series && { series: run.ids.get(series) ?? undefined }),
      ...about,
    });
    const doing = (path: string) => run.doing(`${path} of the post ${slug}`);
    const options = { force: true, doing, timeoutMs: Number.POSITIVE_INFINITY };
    return (await sendPost(run.client, readPost(name), options)).post;
  };
  let post = there ?? (await change(run, "posts", () => send(firstFile, {}))) ?? null;
  // What is submitted is the text that is being written.
  if (opens && state === "work" && published !== null && there && !run.isDryRun)
    post = await send(firstFile, { id: there.id });
  const submit = () => run.client.posts.submit({ id: post?.id ?? "", body: {} });
  if (opens) post = (await change(run, "posts", submit, "opened")) ?? post;
  // Of one that would only be submitted nobody knows what moderators will say.
  if (post?.status === "published" || (opens && run.isDryRun)) run.published.add(record.id);
  if (there?.status === "published" && !(run.publish && record.status !== "draft"))
    run.closed.add(`post:${record.id}`);
  if (published === null || (state === "work" && !opens)) return post?.id ?? null;
  if (post?.status === "in_review")
    leaveOut(
      run,
      `the later text of the post ${slug}`,
      "a moderator decides about the first one: run it again then",
    );
  else
    await change(run, "later texts", async () => {
      const { images } = readPost(firstFile).fields;
      await send(file, { id: post?.id, images });
    });
  return post?.id ?? null;
}

async function findPost({ client }: Importing, slug: string): Promise<Post | null> {
  for await (const { id, slug: found } of client.posts.list({ query: { mine: true, slug, limit: 100 } }))
    if (found === slug) return client.posts.get({ id }).catch(absent);
  return null;
}

/** Whether what is written here is the text being written in the archive, the one that was published there, or another one. */
async function compare(
  run: Importing,
  post: Post,
  { work, first }: { work: string; first: string },
): Promise<"work" | "first" | "other"> {
  const here = await textHere(run, post);
  if (here === (await textIn(readPost(work)))) return "work";
  return here === (await textIn(readPost(first))) ? "first" : "other";
}

/** A text with the digests of its pictures in the place of where they are. */
async function textHere({ client }: Importing, post: Post): Promise<string> {
  const { title, summary, body } = workingOf(post);
  const ids = new Set<string>();
  const idOf = (target: string) => /^media:(med_[0-9a-hjkmnp-tv-z]{26})$/.exec(target)?.[1];
  retarget(body, (target) => void ids.add(idOf(target) ?? ""));
  const digests = new Map<string, string>();
  for (const id of ids) {
    const media = id === "" ? null : await client.media.get({ id }).catch(absent);
    if (media?.sent) digests.set(id, media.sent.sha256);
  }
  return JSON.stringify([
    title,
    summary,
    comparable(retarget(body, (target) => digests.get(idOf(target) ?? ""))),
  ]);
}

async function textIn({ fields, body, folder, paths }: PostFile): Promise<string> {
  const digests = new Map<string, string>();
  for (const path of paths) digests.set(path, await sha256Of(placeIn(folder, path)));
  const text = retarget(body, (target) => digests.get(pathOf(target) ?? ""));
  return JSON.stringify([fields.title, fields.summary ?? null, comparable(text)]);
}
