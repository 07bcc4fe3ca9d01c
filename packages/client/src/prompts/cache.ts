import { tell } from "../attempts.ts";
import type { Connection } from "../call.ts";
import { ConnectionError } from "../errors.ts";
import { within } from "../within.ts";
import { type CacheEntry, entryOfFallback, type Fallback, isContent, type Target } from "./content.ts";
import type { PromptDisk } from "./disk.ts";
import { entryOfLocked, NotLockedError } from "./lockfile.ts";
import { isFresh, isWithin, Memory, type Slot } from "./memory.ts";
import type { GetPromptOptions, PromptCacheEvent, PromptCacheOptions } from "./options.ts";
import { Questions } from "./questions.ts";
import type { Reading } from "./read.ts";
import { type PromptSource, ResolvedPrompt } from "./resolved.ts";
import type { StoredCopies } from "./stored.ts";

/** After its time to live, a cache entry is served for this long while the registry is asked in the background. */
const revalidateMs = 60_000;
/** Beyond that a get waits this long for the registry before it serves what it has. */
const patienceMs = 1_000;
/** How long one waits that has nothing, but a lockfile or a fallback. */
const coldPatienceMs = 5_000;

/** Asks for prompts, and keeps them. Refreshed by use and never by a timer, which a frozen process would not run. */
export class PromptCache {
  readonly #options: PromptCacheOptions;
  readonly #ttlMs: number;
  readonly #maxStaleMs: number;
  readonly #memory: Memory;
  readonly #stored: Promise<StoredCopies> | undefined;
  readonly #questions: Questions;

  constructor(connection: Connection, options: PromptCacheOptions = {}) {
    this.#options = options;
    this.#ttlMs = options.ttlMs ?? 60_000;
    this.#maxStaleMs = options.maxStaleMs ?? Number.POSITIVE_INFINITY;
    this.#memory = new Memory(options.maxBytes ?? 32 * 1024 * 1024);
    this.#stored = options.disk && openDisk(options.disk, connection);
    this.#questions = new Questions(connection, (target, reading) => this.#onReading(target, reading));
  }

  /** How many cache entries are in memory. */
  get size(): number {
    return this.#memory.size;
  }

  /** What their texts take, as UTF-8. */
  get bytes(): number {
    return this.#memory.bytes;
  }

  /** Removes all cache entries from memory, and the refusals. */
  clear(): void {
    this.#memory.clear();
    this.#questions.forget();
  }

  get(target: Target, asked: Asked): Promise<ResolvedPrompt> {
    if (!asked.isLocked) {
      const slot = this.#memory.get(target.key);
      if (slot !== undefined && isFresh(slot)) {
        if (this.#options.onEvent) this.#tellOf(target, slot.prompt);
        return slot.served;
      }
    }
    let resolved = this.#resolve(target, asked);
    if (this.#options.onEvent) resolved = resolved.then((prompt) => this.#tellOf(target, prompt));
    return asked.signal ? (within(Infinity, resolved, asked.signal) as typeof resolved) : resolved;
  }

  async #resolve(target: Target, asked: Asked): Promise<ResolvedPrompt> {
    if (asked.isLocked) return this.#locked(target);
    const found = this.#inMemory(target) ?? (await this.#fromDisk(target));
    if (found?.isFresh) return new ResolvedPrompt(found.entry, found.source);
    const kept = found && isWithin(this.#maxStaleMs, found.entry.confirmedAt) ? found : undefined;
    const early = this.#questions.early(target.key);
    if (early) return this.#conclude(target, early, kept, asked);
    if (kept && isWithin(this.#ttlMs + revalidateMs, kept.entry.confirmedAt)) {
      // Served at once, however many: none of them leaves something behind that waits for the one who asks.
      if (!this.#questions.isOpen(target.key)) this.#goesOn(this.#ask(target, patienceMs));
      return new ResolvedPrompt(kept.entry, kept.source, "revalidating");
    }
    const hasOther = kept || asked.fallback !== undefined || this.#entryOfLocked(target);
    if (!hasOther) return this.#conclude(target, await this.#ask(target), kept, asked);
    const waitMs = this.#options.patienceMs ?? (kept ? patienceMs : coldPatienceMs);
    const reading = this.#ask(target, waitMs);
    const known = await this.#questions.waitFor(reading, waitMs);
    if (known === undefined) this.#goesOn(reading);
    return this.#conclude(target, known ?? slow, kept, asked);
  }

  #conclude(target: Target, reading: Reading, kept: Found | undefined, { fallback }: Asked): ResolvedPrompt {
    if ("refusal" in reading) throw reading.refusal;
    if ("entry" in reading) return new ResolvedPrompt(reading.entry, "network");
    const { failure, problem } = reading;
    if (kept) return new ResolvedPrompt(kept.entry, kept.source, problem);
    const locked = this.#entryOfLocked(target);
    if (locked) return new ResolvedPrompt(locked, "lockfile", problem);
    if (fallback === undefined) throw failure;
    const given = typeof fallback === "function" ? fallback() : fallback;
    return new ResolvedPrompt(entryOfFallback(target, given), "fallback", problem);
  }

  #inMemory({ key }: Target): Found | undefined {
    const slot = this.#memory.get(key);
    return slot && { entry: slot.entry, source: "memory", isFresh: isFresh(slot) };
  }

  /** What the registry has refused is not looked for: it may still be there. */
  async #fromDisk(target: Target): Promise<Found | undefined> {
    if (this.#stored === undefined || this.#questions.isRefused(target.key)) return undefined;
    const entry = await (await this.#stored).read(target);
    return entry && { entry, source: "disk", isFresh: isFresh(this.#keep(target, entry)) };
  }

  /** Asks the registry, unless that is being done. */
  #ask(target: Target, waitMs?: number): Promise<Reading> {
    const kept = this.#memory.get(target.key)?.entry;
    return this.#questions.ask(target, { kept, patienceMs: waitMs, onRefused: this.#options.onRefused });
  }

  #onDisk(work: (stored: StoredCopies) => Promise<unknown>): void {
    if (this.#stored) this.#goesOn(this.#stored.then(work));
  }

  #goesOn(work: Promise<unknown>): void {
    this.#options.waitUntil?.(work);
  }

  /** Hears each answer of the registry, before those who asked. */
  #onReading(target: Target, reading: Reading): void {
    const ref = target.key;
    if ("entry" in reading) {
      this.#keep(target, reading.entry);
      this.#onDisk((stored) => stored.write(target, reading.entry));
      this.#tell({ type: "write", ref, version: reading.entry.version });
    } else if ("refusal" in reading) {
      this.#memory.delete(ref);
      this.#onDisk((stored) => stored.remove(target));
      this.#tell({ type: "refused", ref, error: reading.refusal });
    } else {
      const type = reading.problem === "unauthenticated" ? "refused" : "failed";
      this.#tell({ type, ref, error: reading.failure });
    }
  }

  #tell(event: PromptCacheEvent): void {
    tell(this.#options.onEvent, event);
  }

  #tellOf({ key: ref }: Target, prompt: ResolvedPrompt): ResolvedPrompt {
    const fresh = prompt.source === "network" ? "miss" : "hit";
    this.#tell({ type: prompt.staleReason === null ? fresh : "stale", ref, prompt });
    return prompt;
  }

  /** Asks anew for all that is kept of a prompt, by an answer that begins after now; gives what was answered. */
  async refresh({ id, ref }: { id: string; ref: string }): Promise<string[]> {
    this.#questions.forget(ref);
    const moved = this.#memory
      .values()
      .filter(({ target, entry }) => target.label && (entry.promptId === id || entry.ref === ref));
    for (const slot of moved) slot.freshUntil = 0;
    const refresh = async ({ target }: Slot) => {
      if (this.#questions.isOpen(target.key)) await this.#ask(target);
      return "failure" in (await this.#ask(target)) ? [] : target.key;
    };
    return (await Promise.all(moved.map(refresh))).flat();
  }

  /** Ends what is being asked, and what would be; resolves when what is kept is on the disk. */
  async close(): Promise<void> {
    await this.#questions.close();
    await (await this.#stored)?.done;
  }

  #keep(target: Target, entry: CacheEntry): Slot {
    const ttlMs = target.version === undefined ? this.#ttlMs : Number.POSITIVE_INFINITY;
    return this.#memory.put(target, entry, entry.confirmedAt + ttlMs);
  }

  #entryOfLocked(target: Target): CacheEntry | undefined {
    return this.#options.lockfile && entryOfLocked(this.#options.lockfile, target);
  }

  #locked(target: Target): ResolvedPrompt {
    const locked = this.#entryOfLocked(target);
    if (locked === undefined) throw new NotLockedError(target);
    return new ResolvedPrompt(locked, "lockfile");
  }
}

/** A cache entry and where it was found. */
interface Found {
  entry: CacheEntry;
  source: PromptSource;
  isFresh: boolean;
}

/** What a handle asks with each get. */
export interface Asked extends GetPromptOptions {
  fallback?: Fallback | (() => Fallback) | undefined;
  isLocked: boolean;
}

/** Loaded by who has one: most applications have none. */
const openDisk = async (disk: PromptDisk, connection: Connection): Promise<StoredCopies> =>
  new (await import("./stored.ts")).StoredCopies(disk, connection, isContent);

const slow: Reading = {
  failure: new ConnectionError("The registry did not answer in time."),
  problem: "slow",
  retryAfterMs: 0,
};
