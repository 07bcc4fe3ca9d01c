import type { PromptDisk } from "./disk.ts";
import type { Lockfile } from "./lockfile.ts";
import type { ResolvedPrompt } from "./resolved.ts";
import type { AbortSignal } from "../web.ts";

/** Options of the cache. All times are in milliseconds. */
export interface PromptCacheOptions {
  /** How long a label is fresh. Default: 60,000. */
  ttlMs?: number | undefined;
  /** How old a label may be during an outage. Default: no limit. */
  maxStaleMs?: number | undefined;
  /**
   * How long a get waits for the registry before it serves something else. Default: 1,000 if there is a stale cache entry, and
   * 5,000 if there is a lockfile or a fallback. After one such wait, gets do not wait until the registry is fast again.
   */
  patienceMs?: number | undefined;
  /**
   * Shows a moved label within about a second: while prompts are used, one request for each owner and label waits for changes. Default:
   * false. An owner's prompts beyond 5,000 with one label, what lists do not show (unlisted, mature), and more than ten owners and
   * labels work as without it. So does everything where a proxy or an older registry does not let requests wait.
   */
  live?: boolean | undefined;
  /** The size of the cache entries in memory, as UTF-8. Default: 32 MiB. */
  maxBytes?: number | undefined;
  /** Stores cache entries beyond the life of the process: `promptDisk()` of `@promptreg/client/disk`. */
  disk?: PromptDisk | undefined;
  /** Served during an outage if there is no cache entry: `readLockfile(text)`, or the parsed file. */
  lockfile?: Lockfile | undefined;
  /**
   * What a get does if the registry refuses the token (401). Default: `throw`. With `serve` it counts as an outage, with the
   * reason `unauthenticated`. Every other refusal is thrown.
   */
  onRefused?: "throw" | "serve" | undefined;
  /** For metrics and alerts: called for each `PromptCacheEvent`. Errors that it throws are ignored. */
  onEvent?: ((event: PromptCacheEvent) => void) | undefined;
  /** Receives background work, as edge runtimes require: `ctx.waitUntil`. */
  waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

/**
 * An event of the cache, for the address `ref`.
 * - `hit`: a fresh prompt was served from the cache.
 * - `miss`: a fresh prompt was served after a request.
 * - `stale`: a prompt was served that may be out of date; `prompt.staleReason` says why.
 * - `write`: a response of the registry was stored.
 * - `refused`: the registry refused the request.
 * - `failed`: the registry was unavailable.
 * - `polling`: live updates do not work; `ref` is `owner/*@label`. Labels are seen as without them, until they work again.
 */
export type PromptCacheEvent = { readonly ref: string } & (
  | { readonly type: "hit" | "miss" | "stale"; readonly prompt: ResolvedPrompt }
  | { readonly type: "write"; readonly version: number | null }
  | { readonly type: "refused" | "failed" | "polling"; readonly error: Error }
);

/** Options of a single get. */
export interface GetPromptOptions {
  /** Ends the wait of this caller. The request goes on for others. */
  signal?: AbortSignal | undefined;
}
