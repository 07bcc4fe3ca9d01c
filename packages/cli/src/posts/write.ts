import type { Post, WorkingCopy } from "@promptreg/core";
import {
  baseOf,
  bodyOf,
  type Fields,
  imagesOf,
  type Page,
  type PostFile,
  printPage,
  setFields,
  withLf,
  workingOf,
} from "./file.ts";
import { retarget, targetOf } from "./pictures.ts";

/** How the file of a post is written. */
interface Writing {
  /** Where its pictures are, by their ids. */
  paths: ReadonlyMap<string, string>;
  /** The file as it was: its comments stay, and its text if it says the same. */
  before?: PostFile | null;
  /** Default: the text that is being written. */
  text?: Pick<WorkingCopy, "title" | "summary" | "body">;
}

/** Brings a page to what a post says, and prints it. */
export function printPost(
  page: Page,
  post: Post,
  { paths, before = null, text: { title, summary, body } = workingOf(post) }: Writing,
): string {
  const used: Record<string, string> = {};
  const pathOfMedia = (id: string) => {
    const path = paths.get(id);
    if (path !== undefined) used[path] = id;
    return path;
  };
  const text = retarget(withLf(body), (target) => {
    const path = target.startsWith("media:") ? pathOfMedia(target.slice("media:".length)) : undefined;
    return path && targetOf(path);
  });
  const cover = post.cover && (pathOfMedia(post.cover.id) ?? post.cover.id);
  // What is empty is named only where it was.
  const named = <Value>(name: keyof Fields, value: Value, isEmpty = value === null) =>
    isEmpty && before?.fields[name] === undefined ? undefined : value;
  setFields(page, {
    title,
    summary: named("summary", summary),
    slug: post.slug,
    tags: named("tags", post.tags, post.tags.length === 0),
    cover: named("cover", cover),
    series: named("series", post.series?.id ?? null),
    images: Object.keys(used).length > 0 ? used : undefined,
    base: baseOf(post),
    id: post.id,
  });
  const isKept = before !== null && bodyOf(before, imagesOf(before)).trimEnd() === body.trimEnd();
  if (!isKept) page.body = `\n${text.replace(/^\n+/, "")}${text.endsWith("\n") ? "" : "\n"}`;
  return printPage(page);
}
