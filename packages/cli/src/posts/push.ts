import { resolve } from "node:path";
import type { CreatePost, Post, UpdatePost } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { placeIn, requireFile, sha256Of } from "../disk/places.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { absent, advise, InputError, naming, UsageError } from "../errors.ts";
import { advised, sendReady } from "../media/index.ts";
import type { Client } from "../requests/client.ts";
import { createOnce } from "../requests/create-once.ts";
import type { Context } from "../settings/context.ts";
import { cell, countOf } from "../terminal/text.ts";
import {
  baseOf,
  bodyOf,
  comparable,
  coverOf,
  type Fields,
  type Images,
  type PostFile,
  printPage,
  readPage,
  readPost,
  setFields,
  workingOf,
} from "./file.ts";
import { findOwn, hintingAtSeries, type OwnPost, stateOf } from "./find.ts";
import { targetsIn, pathOf } from "./pictures.ts";

interface PushOptions {
  submit?: boolean;
  note?: string;
  force?: boolean;
}

export async function pushPost(
  { connect, output }: Context,
  file: string,
  { submit = false, note, force = false }: PushOptions,
): Promise<void> {
  if (note !== undefined && !submit) throw new UsageError("--note is for moderators: write --submit, too.");
  const page = await readSendable(file);
  const client = await connect();
  const doing = (path: string) => output.note(`Uploading ${path}…`);
  const { post, created, changes } = await sendPost(client, page, { force, doing });
  const isOpen = post.status === "draft" || (post.status === "published" && post.hasUnpublishedChanges);
  const submitted = submit && isOpen && (await client.posts.submit({ id: post.id, body: { note } }));
  const now: Post = submitted || post;
  output.result({ ...now, created, changes }, () => {
    const became = created
      ? "is created"
      : changes === 0
        ? "is up to date"
        : `is pushed: ${countOf(changes, "change")}`;
    const title = output.colors.bold(cell(workingOf(now).title));
    return `${title} ${became}, ${stateOf(now)}${now.status === "in_review" ? ": a moderator decides" : ""}`;
  });
}

/** A file whose pictures are there: before anything is sent. */
export async function readSendable(file: string): Promise<PostFile> {
  const page = readPost(file);
  for (const path of page.paths) await requireFile(page.folder, file, path);
  return page;
}

interface Sending {
  /** Puts the file in the place of what was written at the registry since. */
  force: boolean;
  /** Hears of each picture before it is sent. */
  doing: (path: string) => void;
  /** How long an upload may take. */
  timeoutMs?: number;
}

/** Makes a post what its file says, and writes into the file what it is at the registry. */
export async function sendPost(
  client: Client,
  page: PostFile,
  { force, doing, timeoutMs }: Sending,
): Promise<{ post: Post; created: boolean; changes: number }> {
  const { file, paths, fields } = page;
  const there = fields.id === undefined ? null : await findOwn(client, fields.id);
  const images = await sentImages(client, page);
  const missing = paths.filter((path) => !images.has(path));
  const inText = new Set([...targetsIn(page.body)].map(({ target }) => pathOf(target)));
  if (there && missing.length > 0)
    requireUnmoved(page, there.post, {
      isText: missing.some((path) => inText.has(path)),
      isBeside: missing.some((path) => !inText.has(path)),
      force,
    });
  for (const path of missing) {
    doing(path);
    images.set(path, await upload(client, page, path, timeoutMs));
    // At once: what is interrupted does not send it again.
    await writeFields(file, { images: Object.fromEntries(images) });
  }
  const wanted = wantedBy(page, images);
  const { post, changes } = there
    ? await update(client, there, { page, wanted, force })
    : { post: await create(client, file, wanted), changes: Object.keys(wanted).length };
  const known = {
    images: images.size > 0 ? Object.fromEntries(images) : undefined,
    base: baseOf(post),
    id: post.id,
  };
  if (there) await writeFields(file, known);
  else await naming(`${post.id} is created, but the file does not name it`, () => writeFields(file, known));
  return { post, created: there === null, changes };
}

/** Writes fields into the file of a post, if they are others: as it is now, since its author may have gone on writing. */
export async function writeFields(file: string, fields: Partial<Fields>): Promise<void> {
  const page = readPage(file);
  const before = printPage(page);
  setFields(page, fields);
  const now = printPage(page);
  if (now !== before) await replaceFile(file, now);
}

/** The uploads that the file names and that are its pictures. */
async function sentImages(client: Client, { folder, paths, fields }: PostFile): Promise<Map<string, string>> {
  const images = new Map<string, string>();
  for (const path of paths) {
    const id = Object.entries(fields.images ?? {}).find(([name]) => name === path)?.[1];
    if (id === undefined) continue;
    // Pictures are written anew: what was sent has its own digest, what a pull brought that of what is served.
    const media = await client.media.get({ id }).catch(absent);
    const digest = await sha256Of(placeIn(folder, path));
    if (media?.sent?.sha256 === digest || media?.sha256 === digest) images.set(path, id);
  }
  return images;
}

const upload = (
  client: Client,
  { file, folder }: PostFile,
  path: string,
  timeoutMs: number | undefined,
): Promise<string> =>
  naming(`${file} (${cell(path)})`, async () => {
    try {
      return (await sendReady(client, placeIn(folder, path), { purpose: "show" }, timeoutMs)).mediaId;
    } catch (error) {
      throw advised(error as Error, "link to it instead");
    }
  });

/** What the file says, as requests have it. What it does not name is left out. */
function wantedBy(page: PostFile, images: Images): CreatePost {
  const { title, summary, slug, tags, series: seriesId } = page.fields;
  const coverMediaId = coverOf(page.fields, images);
  const wanted = { title, summary, slug, tags, seriesId, coverMediaId, body: bodyOf(page, images) };
  return Object.fromEntries(
    Object.entries(wanted).filter(([, value]) => value !== undefined),
  ) as unknown as CreatePost;
}

async function create(client: Client, file: string, body: CreatePost): Promise<Post> {
  const post: Post | undefined = await hintingAtSeries(
    body,
    createOnce(
      [resolve(file), body],
      (options) => client.posts.create({ body }, options),
      ({ id }) => client.posts.get({ id }).catch(absent),
    ),
  );
  if (post) return post;
  throw new InputError("A push compares what is there: the token needs the scope read.");
}

/** Fields of a request that say something else than the post. */
export function changesOf(post: Post, wanted: UpdatePost): UpdatePost {
  const { title, summary, body } = workingOf(post);
  const before: UpdatePost = {
    title,
    summary,
    body: comparable(body),
    slug: post.slug,
    tags: post.tags,
    coverMediaId: post.cover?.id ?? null,
    seriesId: post.series?.id ?? null,
  };
  const isOther = ([name, value]: [string, unknown]) =>
    JSON.stringify(name === "body" ? comparable(String(value)) : value) !==
    JSON.stringify(before[name as keyof UpdatePost]);
  return Object.fromEntries(Object.entries(wanted).filter(isOther));
}

const texts: readonly string[] = ["title", "summary", "body"];

async function update(
  client: Client,
  { post, unchanged }: OwnPost,
  { page, wanted, force }: { page: PostFile; wanted: CreatePost; force: boolean },
): Promise<{ post: Post; changes: number }> {
  const change = changesOf(post, wanted);
  const changes = Object.keys(change).length;
  if (changes === 0) return { post, changes };
  const isBeside = Object.keys(change).some((name) => !texts.includes(name));
  requireUnmoved(page, post, {
    isText: Object.keys(change).some((name) => texts.includes(name)),
    isBeside,
    force,
  });
  try {
    const updated = await hintingAtSeries(
      change,
      client.posts.update({ id: post.id, body: change }, unchanged),
    );
    return { post: updated ?? post, changes };
  } catch (error) {
    if ((error as { status?: unknown }).status !== 412) throw error;
    throw advise(error as Error, `Nothing was stored. ${bringing(post.id)}`);
  }
}

const bringing = (id: string) => `\`promptreg post pull ${id} other.md\` brings what is there.`;

/** @throws {Error} if the post cannot be changed now, or if it is not as it was when the file was written. */
function requireUnmoved(
  { file, fields }: PostFile,
  post: Post,
  { isText, isBeside, force }: { isText: boolean; isBeside: boolean; force: boolean },
): void {
  if (post.status === "in_review")
    throw advise(apiError("post_in_review"), `\`promptreg post withdraw ${post.id}\` takes it back.`);
  const [text, beside] = (fields.base ?? "").split(".");
  const [textNow, besideNow] = baseOf(post).split(".");
  const changed = [
    isText && text !== textNow ? "the text" : [],
    // A file of an earlier release does not say what stood beside its text.
    isBeside && beside !== undefined && beside !== besideNow ? "slug, tags, cover or series" : [],
  ].flat();
  if (force || changed.length === 0) return;
  const message = `${file}: ${changed.join(" and ")} of the post changed on the server since the file was pushed or pulled. Nothing was sent.`;
  throw advise(
    apiError("precondition_failed", { message }),
    `${bringing(post.id)} --force puts the file in its place: \`promptreg post revisions\` keeps the other text.`,
  );
}
