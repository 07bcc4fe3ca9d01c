import type { Variable, VersionFile } from "@promptreg/core";
import { ApiError } from "@promptreg/core/errors";
import { type PromptAddress, parseRef } from "@promptreg/core/refs";
import type { ChatItem } from "@promptreg/core/template";

/** The parts of a version that an application uses. The files may have more fields of the API. */
export interface PromptContent {
  /** The path of the entry file. It shows the kind of the prompt. */
  entry: string;
  files: readonly (Pick<VersionFile, "path" | "encoding"> & { content?: string })[];
  variables: readonly Variable[];
  /** Settings for the model. */
  config: Readonly<Record<string, unknown>>;
}

/** Whether a value is content. It may come from any server, or from a damaged file. */
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

/** Freezes a value from JSON deeply, since all who get a prompt share it. */
export function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value))
    Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

/** The last resort: a text, the messages of a chat, or the whole content of a version. */
export type Fallback = string | readonly ChatItem[] | PromptContent;

/** The address of a prompt that an application uses. */
export interface Target extends PromptAddress {
  /** `owner/slug@3`, `owner/slug@production`, or `owner/slug@latest`. */
  key: string;
}

/** A response of the registry for a target. */
export interface CacheEntry {
  /** The current `owner/slug`. The target may have the old address of a renamed prompt. */
  ref: string;
  /** Absent if the entry did not come from the registry. */
  promptId?: string;
  /** The number of the version; null for a fallback. */
  version: number | null;
  isYanked: boolean;
  /** For `If-None-Match`; null if the entry can never change, or did not come from the registry. */
  etag: string | null;
  content: PromptContent;
  /** When the registry last confirmed the entry, in milliseconds since 1970. */
  confirmedAt: number;
}

/**
 * Reads `owner/slug`, `owner/slug@3` or `owner/slug@production`. The label or version may also come as an option.
 * @throws {SyntaxError} if the address is malformed. @throws {TypeError} if more than one label or version is given.
 */
export function targetOf(
  ref: string,
  { label, version }: { label?: string | undefined; version?: number | undefined },
): Target {
  const address = parseRef(ref);
  const given = [address.label, address.version, label, version].filter((one) => one !== undefined);
  if (given.length > 1) throw new TypeError(`${ref}: give one label or one version, once.`);
  const which = given[0] ?? "latest";
  // Parsed again, so that a label or version in the options follows the same rules.
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

/** The error for a prompt that exists, and has no version, or none that is not yanked. */
export const withoutVersion = ({ key }: Target) =>
  new ApiError({
    code: "not_found",
    status: 404,
    message: `${key} has no version to serve: it is a draft, or all are yanked. Commit a version, or unyank one.`,
  });
