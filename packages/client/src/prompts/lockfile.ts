import type { VersionFile } from "@promptreg/core";
import type { CacheEntry, PromptContent, Target } from "./content.ts";

/**
 * The content of `promptreg.lock`: for each prompt, the version that an application was tested with, with its content, so that
 * it can be served during an outage. It is JSON with sorted addresses. So git merges the locks of two people, and reports
 * a conflict if they locked different versions of one prompt.
 */
export interface Lockfile {
  lockfileVersion: 1;
  /** By the address that applications use: `owner/slug@production`, `owner/slug@3`, `owner/slug@latest`. */
  prompts: Readonly<Record<string, LockedPrompt>>;
}

/** A prompt of the lockfile, with its locked version. */
export interface LockedPrompt extends PromptContent {
  /** Complete: their bytes and modes give the content hash. The default mode is `100644`. */
  files: readonly (Pick<VersionFile, "path" | "encoding"> & {
    content: string;
    mode?: VersionFile["mode"];
  })[];
  version: number;
  /** `sha256:` of the path, mode and digest of every file. */
  contentHash: string;
  /** True if the version was yanked when it was locked; else absent. */
  yanked?: boolean;
}

/** The error of a `locked` handle whose prompt is not in the lockfile. */
export class NotLockedError extends Error {
  override readonly name = "NotLockedError";
  /** `owner/slug@label`, as the application named it. */
  readonly ref: string;

  constructor({ key }: Target) {
    super(`${key} is not in the lockfile. Lock it, or use a locked address.`);
    this.ref = key;
  }
}

/**
 * Parses the text of a lockfile.
 * @throws {SyntaxError} if this version of the package cannot read it.
 */
export function readLockfile(text: string): Lockfile {
  let lock: Partial<Lockfile> | null;
  try {
    // Some editors begin a file with a mark.
    lock = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    throw new SyntaxError("The lockfile is not JSON. Does it contain an unfinished merge?");
  }
  if (lock?.lockfileVersion !== 1 || typeof lock.prompts !== "object" || lock.prompts === null) {
    throw new SyntaxError("The lockfile is not version 1. Write it again, or use a newer @promptreg/client.");
  }
  return lock as Lockfile;
}

/** The locked version of a target as a cache entry; undefined if there is none. */
export function entryOfLocked({ prompts }: Lockfile, { key, owner, slug }: Target): CacheEntry | undefined {
  const locked = Object.hasOwn(prompts, key) ? prompts[key] : undefined;
  if (locked === undefined) return undefined;
  return {
    ref: `${owner}/${slug}`,
    version: locked.version,
    isYanked: locked.yanked === true,
    etag: null,
    content: locked,
    confirmedAt: Date.now(),
  };
}
