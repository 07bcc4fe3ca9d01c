import { dirname } from "node:path";
import { CreatePost, describeIssue, type Post } from "@promptreg/core";
import { replaceFile } from "../disk/replace-file.ts";
import { InputError } from "../errors.ts";
import type { Context } from "../settings/context.ts";
import { cell } from "../terminal/text.ts";
import { bringPictures, placePictures } from "./bring.ts";
import {
  baseOfText,
  bodyOf,
  coverOf,
  imagesOf,
  isFileThere,
  newPage,
  type PostFile,
  printPage,
  readPost,
  setFields,
  workingOf,
} from "./file.ts";
import { findOwn } from "./find.ts";
import { printPost } from "./write.ts";

export async function pullPost(context: Context, id: string, name: string | undefined): Promise<void> {
  const { connect, confirm, output } = context;
  const client = await connect();
  const { post } = await findOwn(client, id);
  const file = name ?? `${post.slug}.md`;
  const isThere = await isFileThere(file);
  const before = isThere ? fileOf(file, id) : null;
  const isPushed = before !== null && hasNothingNew(before, post);
  const earlier = before && printPage(before);
  const folder = dirname(file);
  const known = before ? imagesOf(before) : new Map<string, string>();
  const pictures = await placePictures(client, { folder, post, known });
  const text = printPost(before ?? newPage(file), post, { paths: pictures.paths, before });
  const isSame = text === earlier;
  if (isThere && !isPushed && !isSame)
    await confirm(
      before
        ? `Overwrite ${cell(file)}? It says what is not at the registry.`
        : `Overwrite ${cell(file)}? It is not the file of this post.`,
    );
  // First, so that the file names none that is not there.
  await bringPictures(context, folder, pictures);
  if (!isSame) await replaceFile(file, text);
  const isAll = isSame && pictures.missing.length === 0;
  const title = output.colors.bold(cell(workingOf(post).title));
  const brought = pictures.missing.map(({ path }) => path);
  output.result({ file, id, changed: !isAll, pictures: brought }, () =>
    isAll ? `${title} is up to date in ${cell(file)}` : `${title} is written to ${cell(file)}`,
  );
}

/** A file of this post; null for any other. */
function fileOf(file: string, id: string): PostFile | null {
  try {
    const found = readPost(file);
    return found.fields.id === id ? found : null;
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}

/** Whether a file says what was pushed or pulled last, and nothing else than the post beside its text. */
function hasNothingNew(page: PostFile, post: Post): boolean {
  const { fields } = page;
  const images = imagesOf(page);
  // What a file does not name stays at the registry.
  const { title, summary = workingOf(post).summary } = fields;
  const beside = {
    slug: post.slug,
    tags: post.tags,
    series: post.series?.id ?? null,
  };
  const { slug = beside.slug, tags = beside.tags, series = beside.series } = fields;
  const cover = coverOf(fields, images);
  return (
    fields.base?.split(".")[0] === baseOfText({ title, summary, body: bodyOf(page, images) }) &&
    JSON.stringify({ slug, tags, series }) === JSON.stringify(beside) &&
    (fields.cover === undefined || cover === (post.cover?.id ?? null))
  );
}

export async function newPost(
  { confirm, output }: Context,
  file: string,
  { title }: { title: string },
): Promise<void> {
  const { error } = CreatePost.safeParse({ title }, { error: describeIssue });
  if (error) throw new InputError(`The title ${error.issues[0]?.message}.`);
  if (await isFileThere(file)) await confirm(`Overwrite ${cell(file)}?`);
  const page = newPage(file);
  setFields(page, { title: title.trim() });
  page.document.comment = " summary, slug, tags, cover and series can follow.";
  page.body = "\n";
  await replaceFile(file, printPage(page));
  output.result({ file, title: title.trim() }, () => `${output.colors.bold(cell(file))} is written`);
  output.note(`Write below the second ---. \`promptreg post push\` makes a draft of it.`);
}
