import type { Variable, VersionFile } from "@promptreg/core";
import { ApiError } from "@promptreg/core/errors";
import { type PromptAddress, parseRef } from "@promptreg/core/refs";
import type { ChatItem } from "@promptreg/core/template";

/** What of a version an application works with. The files may hold more of what the API says of them. */
export interface PromptContent {
  /** The path of the entry file, which tells the kind. */
  entry: string;
  files: readonly (Pick<VersionFile, "path" | "encoding"> & { content?: string })[];
  variables: readonly Variable[];
  /** Settings for the model. */
  config: Readonly<Record<string, unknown>>;
}

/** Whether that is content: anybody may have answered, or written a file. */
export function isContent(it: Partial<PromptContent> | null | undefined): it is PromptContent {
  const { entry, files, variables, config } = it ?? {};
  return (
    Array.isArray(files) &&
    files.every((file: Partial<VersionFile> | null) => typeof file?.path === "string") &&
    files.some(({ path, content }) => path === entry && typeof content === "string") &&
    Array.isArray(variables) &&
    typeof config === "object" &&
    config !== null
  );
}

/** What is served when nothing else can be: a text, the messages of a chat, or the whole content of a version. */
export type Fallback = string | readonly ChatItem[] | PromptContent;

/** A prompt as an application asks for it. */
export interface Target extends PromptAddress {
  /** `owner/slug@3`, `owner/slug@production`, or `owner/slug@latest`. */
  key: string;
}

/** One reading of a target, as the registry gave it. */
export interface CacheEntry {
  /** `owner/slug` as it is now: a prompt that was renamed is found under its old address too. */
  ref: string;
  /** Absent where it did not come from the registry. */
  promptId?: string;
  /** The number of the version; null of a fallback. */
  version: number | null;
  isYanked: boolean;
  /** For `If-None-Match`; null where it can never change, or did not come from the registry. */
  etag: string | null;
  content: PromptContent;
  /** When the registry last said that this is what is there, in milliseconds since 1970. */
  confirmedAt: number;
}

/**
 * Reads `owner/slug`, `owner/slug@3` or `owner/slug@production`, with the label or version in either place.
 * @throws {SyntaxError} for what is no address. @throws {TypeError} where two are given.
 */
export function targetOf(ref: string, { label, version }: { label?: string; version?: number }): Target {
  const address = parseRef(ref);
  const given = [address.label, address.version, label, version].filter((one) => one !== undefined);
  if (given.length > 1) throw new TypeError(`${ref}: give one label or one version, in one place.`);
  const which = given[0] ?? "latest";
  // Read back, so that what is given beside the address is held to the same rules.
  const target = parseRef(`${address.owner}/${address.slug}@${which}`);
  return { ...target, key: `${target.owner}/${target.slug}@${which}` };
}

const asEntry = (entry: string, content: string): PromptContent => ({
  entry,
  files: [{ path: entry, encoding: "utf8", content }],
  variables: [],
  config: {},
});

/** A cache entry made from a caller's fallback. */
export function entryOfFallback({ owner, slug }: Target, given: Fallback): CacheEntry {
  let content = given as PromptContent;
  if (typeof given === "string") content = asEntry("PROMPT.md", given);
  else if (Array.isArray(given)) content = asEntry("CHAT.json", JSON.stringify({ messages: given }));
  return {
    ref: `${owner}/${slug}`,
    version: null,
    isYanked: false,
    etag: null,
    content,
    confirmedAt: Date.now(),
  };
}

/** What a prompt is when all of its versions are yanked: there, but nothing to serve. */
export const withoutVersion = ({ key }: Target) =>
  new ApiError({
    code: "not_found",
    status: 404,
    message: `${key} has no version that can be served: each one is yanked. Commit one, or take a yank back.`,
  });
