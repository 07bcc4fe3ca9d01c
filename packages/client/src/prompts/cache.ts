import { notify } from "../attempts.ts";
import { type Connection, exchange } from "../exchange.ts";
import { ConnectionError } from "../errors.ts";
import { refuseMisspelt } from "../limits.ts";
import { within } from "../within.ts";
import { type CacheEntry, entryOfFallback, type Fallback, isContent, type Target } from "./content.ts";
import type { PromptDisk } from "./disk.ts";
import { entryOfLocked, NotLockedError } from "./lockfile.ts";
import { isFresh, isWithin, Memory, type Slot } from "./memory.ts";
import type { GetPromptOptions, PromptCacheEvent, PromptCacheOptions } from "./options.ts";
import type { Live } from "./live.ts";
import type { CacheParts } from "./parts.ts";
import { Lookups } from "./lookups.ts";
import type { LookupResult } from "./read.ts";
import { type PromptSource, ResolvedPrompt } from "./resolved.ts";
import type { StoredEntries } from "./stored.ts";

/** After its time to live, a cache entry is served for this long while it is revalidated in the background. */
const revalidateMs = 60_000;
/** After that, a get waits this long for the registry before it serves the stale entry. */
const patienceMs = 1_000;
/** How long a get without a cache entry waits before it serves the lockfile or the fallback. */
const coldPatienceMs = 5_000;

const optionNames = "ttlMs live maxStaleMs patienceMs maxBytes disk lockfile onRefused onEvent waitUntil";

/** Requests prompts and stores them. A get refreshes them, never a timer: a frozen process runs no timers. */
export class PromptCache {
  readonly #options: PromptCacheOptions;
  readonly #ttlMs: number;
  readonly #maxStaleMs: number;
  readonly #memory: Memory;
  readonly #stored: Promise<StoredEntries> | undefined;
  readonly #lookups: Lookups;
  readonly #connection: Connection;
  #opening: Promise<Live> | undefined;
  #live: Live | undefined;

  constructor(connection: Connection, options: PromptCacheOptions = {}) {
    refuseMisspelt(options, optionNames);
    this.#options = options;
    this.#ttlMs = options.ttlMs ?? 60_000;
    this.#maxStaleMs = options.maxStaleMs ?? Infinity;
    this.#memory = new Memory(options.maxBytes ?? 32 * 1024 * 1024);
    this.#stored = options.disk && openDisk(options.disk, connection);
    this.#lookups = new Lookups(connection, (target, result) => this.#onResult(target, result));
    this.#connection = connection;
  }

  /** How many cache entries are in memory. */
  get size(): number {
    return this.#memory.size;
  }

  /** The size of their texts, as UTF-8. */
  get bytes(): number {
    return this.#memory.bytes;
  }

  /** Removes all cache entries and failures from memory. */
  clear(): void {
    this.#memory.clear();
    this.#lookups.forget();
  }

  get(target: Target, options: HandleOptions): Promise<ResolvedPrompt> {
    if (!options.isLocked) {
      if (this.#options.live) this.#follow(target);
      const slot = this.#memory.get(target.key);
      if (slot !== undefined && isFresh(slot)) {
        if (this.#options.onEvent) this.#notifyOf(target, slot.prompt);
        return slot.served;
      }
    }
    let resolved = this.#resolve(target, options);
    if (this.#options.onEvent) resolved = resolved.then((prompt) => this.#notifyOf(target, prompt));
    return options.signal ? (within(Infinity, resolved, options.signal) as typeof resolved) : resolved;
  }

  async #resolve(target: Target, options: HandleOptions): Promise<ResolvedPrompt> {
    if (options.isLocked) return this.#locked(target);
    const found = this.#inMemory(target) ?? (await this.#fromDisk(target));
    if (found?.isFresh) return new ResolvedPrompt(target, found.entry, found.source);
    const kept = found && isWithin(this.#maxStaleMs, found.entry.confirmedAt) ? found : undefined;
    const recent = this.#lookups.recentFailure(target.key);
    if (recent) return this.#conclude(target, recent, kept, options);
    if (kept && isWithin(this.#ttlMs + revalidateMs, kept.entry.confirmedAt)) {
      // Served at once. Only the first get starts a request; the others must not each wait for it.
      if (!this.#lookups.isRunning(target.key)) this.#inBackground(this.#request(target, patienceMs));
      return new ResolvedPrompt(target, kept.entry, kept.source, "revalidating");
    }
    const hasOther = kept || options.fallback !== undefined || this.#entryOfLocked(target);
    if (!hasOther) return this.#conclude(target, await this.#request(target), kept, options);
    const waitMs = this.#options.patienceMs ?? (kept ? patienceMs : coldPatienceMs);
    const running = this.#request(target, waitMs);
    const result = await this.#lookups.waitFor(running, waitMs);
    if (result === undefined) this.#inBackground(running);
    return this.#conclude(target, result ?? slow, kept, options);
  }

  #conclude(
    target: Target,
    result: LookupResult,
    kept: Found | undefined,
    { fallback }: HandleOptions,
  ): ResolvedPrompt {
    if ("refusal" in result) throw result.refusal;
    if ("entry" in result) return new ResolvedPrompt(target, result.entry, "network");
    const { failure, problem } = result;
    if (kept) return new ResolvedPrompt(target, kept.entry, kept.source, problem);
    const locked = this.#entryOfLocked(target);
    if (locked) return new ResolvedPrompt(target, locked, "lockfile", problem);
    if (fallback === undefined) throw failure;
    const given = typeof fallback === "function" ? fallback() : fallback;
    return new ResolvedPrompt(target, entryOfFallback(target, given), "fallback", problem);
  }

  #inMemory({ key }: Target): Found | undefined {
    const slot = this.#memory.get(key);
    return slot && { entry: slot.entry, source: "memory", isFresh: isFresh(slot) };
  }

  /** A refused prompt is not read from disk, where its entry may still be. */
  async #fromDisk(target: Target): Promise<Found | undefined> {
    if (this.#stored === undefined || this.#lookups.isRefused(target.key)) return undefined;
    const entry = await (await this.#stored).read(target);
    return entry && { entry, source: "disk", isFresh: isFresh(this.#keep(target, entry)) };
  }

  /** Requests a target from the registry, single-flight. */
  #request(target: Target, waitMs?: number): Promise<LookupResult> {
    const kept = this.#memory.get(target.key)?.entry;
    return this.#lookups.request(target, { kept, patienceMs: waitMs, onRefused: this.#options.onRefused });
  }

  /** Follows a label. Loaded on use, since most applications look once a minute. */
  #follow(target: Target): void {
    if (this.#live) return this.#live.use(target);
    this.#opening ??= import("./live.ts").then(
      ({ Live }) => (this.#live = new Live(this.parts, this.#connection, exchange)),
    );
    this.#opening.then(
      (live) => live.use(target),
      () => (this.#opening = undefined),
    );
  }

  /** For what is loaded on use. */
  get parts(): CacheParts {
    return {
      memory: this.#memory,
      lookups: this.#lookups,
      ttlMs: this.#ttlMs,
      request: (target) => this.#requestAnew(target),
      onResult: (target, result) => this.#onResult(target, result),
      notify: (event) => this.#notify(event),
    };
  }

  #onDisk(work: (stored: StoredEntries) => Promise<unknown>): void {
    if (this.#stored) this.#inBackground(this.#stored.then(work));
  }

  #inBackground(work: Promise<unknown>): void {
    this.#options.waitUntil?.(work);
  }

  /** Gets each result before the callers do. */
  #onResult(target: Target, result: LookupResult): void {
    const ref = target.key;
    if ("entry" in result) {
      this.#keep(target, result.entry);
      this.#onDisk((stored) => stored.write(target, result.entry));
      this.#notify({ type: "write", ref, version: result.entry.version });
    } else if ("refusal" in result) {
      this.#memory.delete(ref);
      this.#onDisk((stored) => stored.remove(target));
      this.#notify({ type: "refused", ref, error: result.refusal });
    } else {
      const type = result.problem === "unauthenticated" ? "refused" : "failed";
      this.#notify({ type, ref, error: result.failure });
    }
  }

  #notify(event: PromptCacheEvent): void {
    notify(this.#options.onEvent, event);
  }

  #notifyOf({ key: ref }: Target, prompt: ResolvedPrompt): ResolvedPrompt {
    const fresh = prompt.source === "network" ? "miss" : "hit";
    this.#notify({ type: prompt.staleReason === null ? fresh : "stale", ref, prompt });
    return prompt;
  }

  /** Requests a target by a request that begins after now. */
  async #requestAnew(target: Target): Promise<LookupResult> {
    if (this.#lookups.isRunning(target.key)) await this.#request(target);
    return this.#request(target);
  }

  /** Ends running and future requests. Resolves when all entries are on disk. */
  async close(): Promise<void> {
    const live = await this.#opening?.catch(() => undefined);
    live?.close();
    await this.#lookups.close();
    await (await this.#stored)?.done;
  }

  #keep(target: Target, entry: CacheEntry): Slot {
    const ttlMs = target.version === undefined ? this.#ttlMs : Infinity;
    return this.#memory.put(target, entry, entry.confirmedAt + ttlMs);
  }

  #entryOfLocked(target: Target): CacheEntry | undefined {
    return this.#options.lockfile && entryOfLocked(this.#options.lockfile, target);
  }

  #locked(target: Target): ResolvedPrompt {
    const locked = this.#entryOfLocked(target);
    if (locked === undefined) throw new NotLockedError(target);
    return new ResolvedPrompt(target, locked, "lockfile");
  }
}

/** A cache entry and its source. */
interface Found {
  entry: CacheEntry;
  source: PromptSource;
  isFresh: boolean;
}

/** What a handle passes to each get. */
export interface HandleOptions extends GetPromptOptions {
  fallback?: Fallback | (() => Fallback) | undefined;
  isLocked: boolean;
}

/** Loaded on use, since most applications have no disk. */
const openDisk = async (disk: PromptDisk, connection: Connection): Promise<StoredEntries> =>
  new (await import("./stored.ts")).StoredEntries(disk, connection, isContent);

const slow: LookupResult = {
  failure: new ConnectionError("The registry did not respond in time."),
  problem: "slow",
  retryAfterMs: 0,
};
