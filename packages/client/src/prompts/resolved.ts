import type { CacheEntry, PromptContent } from "./content.ts";

/** Where a prompt that is served comes from. */
export type PromptSource = "memory" | "disk" | "network" | "lockfile" | "fallback";

/**
 * Why what is served may be old: `revalidating` while the registry is being asked beside it, `slow` when it did not
 * answer in time, `unauthenticated` where it refuses the token and `onRefused` is `serve`, and else what went wrong when it
 * was asked last.
 */
export type StaleReason =
  | "revalidating"
  | "slow"
  | "unreachable"
  | "rate_limited"
  | "server_error"
  | "unauthenticated";

/** A tool of a chat prompt, as CHAT.json has it. */
export type Tool = Readonly<Record<string, unknown>>;

/** A prompt as it was served, with all that there is to know about that. Nothing in it changes but its age. */
export class ResolvedPrompt {
  /** `owner/slug`, as it is called now. */
  readonly ref: string;
  readonly source: PromptSource;
  /** The number of the version; null of a fallback that the caller gave. */
  readonly version: number | null;
  /** Whether the version is yanked: it still works, and should no longer be used. */
  readonly isYanked: boolean;
  readonly etag: string | null;
  /** Null where this is what the registry says, by its last answer within the time to live. */
  readonly staleReason: StaleReason | null;
  readonly content: PromptContent;
  readonly #confirmedAt: number;
  #tools: readonly Tool[] | undefined;

  constructor(entry: CacheEntry, source: PromptSource, staleReason: StaleReason | null = null) {
    this.ref = entry.ref;
    this.source = source;
    this.version = entry.version;
    this.isYanked = entry.isYanked;
    this.etag = entry.etag;
    this.staleReason = staleReason;
    this.content = entry.content;
    this.#confirmedAt = entry.confirmedAt;
  }

  /** Milliseconds since the registry last said that this is what is there. */
  get ageMs(): number {
    return Math.max(0, Date.now() - this.#confirmedAt);
  }

  get config(): PromptContent["config"] {
    return this.content.config;
  }

  /** The tools of a chat prompt, as CHAT.json has them; empty for all others. */
  get tools(): readonly Tool[] {
    this.#tools ??= toolsOf(this.content);
    return this.#tools;
  }
}

function toolsOf({ entry, files }: PromptContent): readonly Tool[] {
  const text = entry === "CHAT.json" ? files.find(({ path }) => path === entry)?.content : undefined;
  if (text === undefined) return [];
  const { tools } = JSON.parse(text.replace(/^\ufeff/, "")) as { tools?: Tool[] };
  return tools ?? [];
}
