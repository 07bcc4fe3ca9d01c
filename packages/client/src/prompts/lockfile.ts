import type { VersionFile } from "@promptreg/core";
import type { CacheEntry, PromptContent, Target } from "./content.ts";

/**
 * What `promptreg.lock` holds: of each prompt the version that an application was tested with, and the version itself,
 * so that it can be served without the registry. It is JSON with sorted addresses, so that git merges what two people
 * locked, and complains where they locked different versions of one prompt.
 */
export interface Lockfile {
  lockfileVersion: 1;
  /** By address as applications ask for it: `owner/slug@production`, `owner/slug@3`, `owner/slug@latest`. */
  prompts: Readonly<Record<string, LockedPrompt>>;
}

/** A prompt of the lockfile, with the version that is locked. */
export interface LockedPrompt extends PromptContent {
  /** Whole: their bytes and modes give the content hash. The mode is `100644` when absent. */
  files: readonly (Pick<VersionFile, "path" | "encoding"> & {
    content: string;
    mode?: VersionFile["mode"];
  })[];
  version: number;
  /** `sha256:` over path, mode and digest of every file. */
  contentHash: string;
  /** Present, and true, for a version that was yanked when it was locked. */
  yanked?: boolean;
}

/** Why nothing could be served without asking the registry. */
export class NotLockedError extends Error {
  override readonly name = "NotLockedError";
  /** `owner/slug@label`, as it was asked for. */
  readonly ref: string;

  constructor({ key }: Target) {
    super(`${key} is not in the lockfile. Lock it, or ask for what is locked.`);
    this.ref = key;
  }
}

/**
 * Reads the text of a lockfile.
 * @throws {SyntaxError} for one that this version of the package cannot read.
 */
export function readLockfile(text: string): Lockfile {
  let lock: Partial<Lockfile> | null;
  try {
    lock = JSON.parse(text);
  } catch {
    throw new SyntaxError("The lockfile is not JSON. Was a merge left unfinished in it?");
  }
  if (lock?.lockfileVersion !== 1 || typeof lock.prompts !== "object" || lock.prompts === null) {
    throw new SyntaxError(
      "The lockfile is not of version 1. Write it again, or use a newer @promptreg/client.",
    );
  }
  return lock as Lockfile;
}

/** The locked version of a target as a cache entry, if there is one. */
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
