import type { PromptDisk } from "./disk.ts";
import type { Lockfile } from "./lockfile.ts";
import type { ResolvedPrompt } from "./resolved.ts";
import type { AbortSignal } from "../web.ts";

/** How prompts are kept. All times in milliseconds. */
export interface PromptCacheOptions {
  /** How long a label is served without asking; 60,000 when absent. */
  ttlMs?: number;
  /** How old a label may be when the registry cannot be asked; no bound when absent. */
  maxStaleMs?: number;
  /**
   * How long a get waits for the registry that has something else to serve: when absent 1,000 for what is kept, and 5,000
   * for a lockfile or a fallback. After one such wait none waits until the registry is quick again.
   */
  patienceMs?: number;
  /** The size of the cache entries in memory, as UTF-8. Default: 32 MiB. */
  maxBytes?: number;
  /** Keeps cache entries after the process ends: `promptDisk()` of `@promptreg/client/disk`. */
  disk?: PromptDisk;
  /** What stands in when the registry cannot be asked, and nothing is kept: `readLockfile(text)`, or the parsed file. */
  lockfile?: Lockfile;
  /**
   * What a get does when the registry refuses the token (401): `throw` when absent, or `serve` as if the registry were away,
   * as `unauthenticated`. Everything else that the registry refuses is thrown.
   */
  onRefused?: "throw" | "serve";
  /** For metrics and alerts: called for what was served, cached and refused. Errors that it throws are ignored. */
  onEvent?: (event: PromptCacheEvent) => void;
  /** Takes work that goes on after an answer, as edge runtimes want it: `ctx.waitUntil`. */
  waitUntil?: (work: Promise<unknown>) => void;
}

/**
 * What happened in the cache, to what was asked for as `ref`.
 * - `hit`: it was served, and is what the registry says; `miss`: so it was, and the registry had to be waited for.
 * - `stale`: something was served that may be old, or stands in; `prompt.staleReason` says why.
 * - `write`: the registry answered, and its answer is kept.
 * - `refused`: the registry said no; `failed`: it was away.
 */
export type PromptCacheEvent = { readonly ref: string } & (
  | { readonly type: "hit" | "miss" | "stale"; readonly prompt: ResolvedPrompt }
  | { readonly type: "write"; readonly version: number | null }
  | { readonly type: "refused" | "failed"; readonly error: Error }
);

/** What can be said about a single get. */
export interface GetPromptOptions {
  /** Ends the wait of this caller; what is being asked goes on for others. */
  signal?: AbortSignal;
}
