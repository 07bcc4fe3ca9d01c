import type { Target } from "./content.ts";
import type { Lookups } from "./lookups.ts";
import type { Memory } from "./memory.ts";
import type { PromptCacheEvent } from "./options.ts";
import type { LookupResult } from "./read.ts";

/** What live updates, webhooks and a warm-up need of the cache. */
export interface CacheParts {
  memory: Memory;
  lookups: Pick<Lookups, "forget">;
  ttlMs: number;
  /** Requests a target by a request that begins after now. */
  request: (target: Target) => Promise<LookupResult>;
  /** Stores a result, and says so. */
  onResult: (target: Target, result: LookupResult) => void;
  notify: (event: PromptCacheEvent) => void;
}
