import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { CreatePost, describeIssue, type Post, type WorkingCopy } from "@promptreg/core";
import { Document, isMap, parseDocument } from "yaml";
import { readFileAt } from "../disk/read-file.ts";
import { type Detail, InputError } from "../errors.ts";
import { unreadable } from "../terminal/read-input.ts";
import { pathOf, retarget, targetsIn } from "./pictures.ts";

/** The frontmatter of a post's file. What is absent stays as it is; null or an empty list empties it. */
export interface Fields {
  id?: string;
  title: string;
  summary?: string | null;
  slug?: string;
  tags?: string[];
  /** The path of a picture, or the id of one that is uploaded. */
  cover?: string | null;
  series?: string | null;
  /** What stands at the registry for pictures of the file, by their paths. */
  images?: Record<string, string>;
  /** What the file was written on, as `baseOf` names it. */
  base?: string;
}

/** A file as it is read, to be written back with its comments. */
export interface Page {
  file: string;
  document: Document;
  /** As it stands in the file, blank lines before it included. */
  body: string;
  hasCrlf: boolean;
}

/** A file that can be sent. */
export interface PostFile extends Page {
  folder: string;
  fields: Fields;
  /** The paths of its pictures, each once. */
  paths: string[];
}

const names = new Set(["id", "title", "summary", "slug", "tags", "cover", "series", "images", "base"]);
/** As long as frontmatter may be in a prompt. */
const maxYaml = 16 * 1024;
const isMediaId = (value: unknown): value is string =>
  typeof value === "string" && /^med_[0-9a-hjkmnp-tv-z]{26}$/.test(value);

/** What is compared of a body: editors add an empty line, and take one away. */
export const comparable = (body: string): string =>
  withLf(body)
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd();
export const withLf = (text: string): string => text.replaceAll("\r\n", "\n");

const digestOf = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 32);

/** Names a text. If that of the registry is another than the one in a file, somebody wrote there since. */
export const baseOfText = ({
  title,
  summary,
  body,
}: Pick<WorkingCopy, "title" | "summary" | "body">): string =>
  `sha256:${digestOf([title, summary, comparable(body)])}`;

/** Names a text, and behind a point what is said of the post beside it. */
export const baseOf = (post: Post): string =>
  `${baseOfText(workingOf(post))}.${digestOf([post.slug, post.tags, post.cover?.id ?? null, post.series?.id ?? null])}`;

/** The text of a post that is being written. */
export const workingOf = (post: Post): Pick<WorkingCopy, "title" | "summary" | "body"> =>
  post.workingCopy ?? post;

/** Splits a file at its `---` lines. @throws {InputError} if it has none, or if they hold no fields. */
export function readPage(file: string): Page {
  const { bytes } = readFileAt(file, 1);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw unreadable(file, error);
  }
  const lines = withLf(text).split("\n");
  const end = lines.findIndex((line, nth) => nth > 0 && line.trimEnd() === "---");
  if (lines[0]?.trimEnd() !== "---" || end < 0)
    throw new InputError(
      `${file} has no frontmatter. Begin it with a line ---, a line \`title: …\` and a line ---.`,
    );
  const yaml = lines.slice(1, end).join("\n");
  if (yaml.length > maxYaml) throw new InputError(`The frontmatter of ${file} is longer than 16 KiB.`);
  // Lines of the file: the first is `---`.
  const document = parseDocument(`\n${yaml}`, { version: "1.2", schema: "core", prettyErrors: true });
  const [error] = document.errors;
  if (error) {
    const [said = ""] = error.message.split("\n");
    throw new InputError(`The frontmatter of ${file} is not valid YAML: ${said.replace(/:$/, "")}.`);
  }
  if (!isMap(document.contents))
    throw new InputError(`The frontmatter of ${file} has no fields. Write at least \`title: …\`.`);
  return { file, document, body: lines.slice(end + 1).join("\n"), hasCrlf: text.includes("\r\n") };
}

/** The fields of a page, checked as the registry checks them. */
export function readPost(file: string): PostFile {
  const page = readPage(file);
  const values = valuesOf(page);
  const details: Detail[] = [];
  for (const name of Object.keys(values))
    if (!names.has(name))
      details.push({ path: name, message: `is no field of a post. Fields: ${[...names].join(", ")}.` });
  const { id, title, summary, slug, tags, cover, series, images = {}, base } = values as unknown as Fields;
  if (id !== undefined && !/^pst_[0-9a-hjkmnp-tv-z]{26}$/.test(id))
    details.push({ path: "id", message: "must be the id of a post, as the first push writes it" });
  if (cover !== undefined && cover !== null && (typeof cover !== "string" || cover === ""))
    details.push({ path: "cover", message: "must be the path of a picture, or the id of media" });
  if (typeof images !== "object" || images === null || !Object.values(images).every(isMediaId))
    details.push({ path: "images", message: "must be paths with the ids of media, as a push writes them" });
  if (base !== undefined && typeof base !== "string")
    details.push({ path: "base", message: "must be a text, as a push writes it" });
  const said = { title, summary, slug, tags, seriesId: series, body: comparable(page.body) };
  const parsed = CreatePost.safeParse(said, { error: describeIssue });
  for (const { path, message } of parsed.error?.issues ?? [])
    details.push({ path: path.join(".").replace("seriesId", "series"), message });
  if (details.length > 0 || !parsed.success) throw new InputError(`${file} cannot be used.`, details);
  const fields = { ...parsed.data, id, cover, series, images, base } as Fields;
  return { ...page, folder: dirname(file), fields, paths: pathsOf(page, cover) };
}

/** @throws {InputError} for a path that leads out of the folder. */
function pathsOf({ file, body }: Page, cover: Fields["cover"]): string[] {
  const paths = new Set<string>();
  const targets = [...targetsIn(body)].map(({ target }) => pathOf(target));
  for (const path of [...(isMediaId(cover) ? [] : [cover && pathOf(cover)]), ...targets])
    if (path !== null && path !== undefined) paths.add(path);
  if (typeof cover === "string" && !isMediaId(cover) && pathOf(cover) === null)
    throw new InputError(`${file}: the cover must be the path of a picture, or the id of media.`);
  for (const path of paths)
    if (/[\\\p{Cc}]/u.test(path) || path.split("/").some((part) => ["", ".", ".."].includes(part)))
      throw new InputError(
        `${file}: the picture ${path} must be a path below the folder of the file, with / between its parts.`,
      );
  return [...paths];
}

/** The cover of a file as the registry has it; undefined if the file does not name it. */
export const coverOf = ({ cover }: Fields, images: Images): string | null | undefined =>
  typeof cover === "string" && !isMediaId(cover) ? images.get(pathOf(cover) ?? "") : cover;

/** The ids of uploads, by the paths that they stand for. */
export type Images = ReadonlyMap<string, string>;

export const imagesOf = ({ fields }: PostFile): Map<string, string> =>
  new Map(Object.entries(fields.images ?? {}));

/** The text of a file as it is sent. */
export const bodyOf = ({ body }: Page, images: Images): string =>
  retarget(withLf(body).replace(/^(?:[ \t]*\n)+/, ""), (target) => {
    const id = images.get(pathOf(target) ?? "");
    return id && `media:${id}`;
  });

/** The values of the frontmatter. @throws {InputError} for aliases, which could make much of little. */
export function valuesOf({ file, document }: Page): Record<string, unknown> {
  try {
    return document.toJS({ maxAliasCount: 0 }) as Record<string, unknown>;
  } catch {
    throw new InputError(`The frontmatter of ${file} has an alias. Write out what it stands for.`);
  }
}

/** Puts fields into the frontmatter, and takes out what is undefined. What is the same stays as it is written. */
export function setFields(page: Page, fields: Partial<Fields>): void {
  const before = valuesOf(page);
  for (const [name, value] of Object.entries(fields)) {
    if (JSON.stringify(before[name]) === JSON.stringify(value)) continue;
    const { document } = page;
    if (value === undefined) document.delete(name);
    else if (name === "id" && isMap(document.contents) && !document.has(name))
      document.contents.items.unshift(document.createPair(name, value));
    else document.set(name, typeof value === "object" ? document.createNode(value) : value);
  }
}

/** The whole text of a page. */
export function printPage({ document, body, hasCrlf }: Page): string {
  const yaml = document.toString({ lineWidth: 0, flowCollectionPadding: false }).replace(/^\n+/, "");
  const text = `---\n${yaml}---\n${body}`;
  return hasCrlf ? text.replaceAll("\n", "\r\n") : text;
}

export const newPage = (file: string): Page => ({
  file,
  document: new Document({}),
  body: "",
  hasCrlf: false,
});

/** Whether something is there. @throws {InputError} if it is a folder. */
export async function isFileThere(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => null);
  if (found?.isDirectory()) throw new InputError(`${file} is a folder. Name a file in it.`);
  return found !== null;
}
