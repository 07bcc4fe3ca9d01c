import { type CacheEntry, frozen, type PromptContent, type Target } from "./content.ts";

/** The source of a served prompt. */
export type PromptSource = "memory" | "disk" | "network" | "lockfile" | "fallback";

/**
 * Why a served prompt may be out of date.
 * - `revalidating`: a request runs in the background.
 * - `slow`: the registry did not respond in time.
 * - `unauthenticated`: the registry refuses the token, and `onRefused` is `serve`.
 * - Others: the error of the last request.
 */
export type StaleReason =
  | "revalidating"
  | "slow"
  | "unreachable"
  | "rate_limited"
  | "server_error"
  | "unauthenticated";

/** A tool of a chat prompt, as in CHAT.json. */
export type Tool = Readonly<Record<string, unknown>>;

/** A prompt as it was served, with its source and age. It is frozen: nothing changes in it but the age. */
export class ResolvedPrompt {
  /** The current `owner/slug`. */
  readonly ref: string;
  readonly source: PromptSource;
  /** The number of the version; null for a fallback. */
  readonly version: number | null;
  /** The label that it was asked for, `latest` unless another was given; null for a version. */
  readonly label: string | null;
  /** Whether the version was yanked when the registry confirmed it: it still works, but should no longer be used. */
  readonly isYanked: boolean;
  readonly etag: string | null;
  /** Null if the prompt is fresh: the registry confirmed it within the time to live. */
  readonly staleReason: StaleReason | null;
  readonly content: PromptContent;
  readonly #confirmedAt: number;
  #tools: readonly Tool[] | undefined;

  constructor(
    { label, version }: Pick<Target, "label" | "version">,
    entry: CacheEntry,
    source: PromptSource,
    staleReason: StaleReason | null = null,
  ) {
    this.ref = entry.ref;
    this.label = version === undefined ? (label ?? "latest") : null;
    this.source = source;
    this.version = entry.version;
    this.isYanked = entry.isYanked;
    this.etag = entry.etag;
    this.staleReason = staleReason;
    // Not a fallback, which is the caller's own.
    this.content = entry.version === null ? entry.content : frozen(entry.content);
    this.#confirmedAt = entry.confirmedAt;
    Object.freeze(this);
  }

  /** Milliseconds since the registry last confirmed the prompt. Of a lockfile's or a fallback's nobody knows: since it was served. */
  get ageMs(): number {
    return Math.max(0, Date.now() - this.#confirmedAt);
  }

  get config(): PromptContent["config"] {
    return this.content.config;
  }

  /** The tools of a chat prompt, as in CHAT.json; empty for all others. */
  get tools(): readonly Tool[] {
    this.#tools ??= toolsOf(this.content);
    return this.#tools;
  }
}

function toolsOf({ entry, files }: PromptContent): readonly Tool[] {
  const text = entry === "CHAT.json" ? files.find(({ path }) => path === entry)?.content : undefined;
  if (text === undefined) return [];
  const { tools } = JSON.parse(text.replace(/^\ufeff/, "")) as { tools?: Tool[] };
  return frozen(tools ?? []);
}
