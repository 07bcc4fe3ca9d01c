import { tell } from "../attempts.ts";
import type { Connection } from "../call.ts";
import { ConnectionError } from "../errors.ts";
import { within } from "../within.ts";
import { type Copy, copyOfFallback, type Fallback, isContent, type Target } from "./content.ts";
import type { PromptDisk } from "./disk.ts";
import { copyOfLocked, NotLockedError } from "./lockfile.ts";
import { type Entry, isFresh, isWithin, Memory } from "./memory.ts";
import type { GetPromptOptions, PromptCacheEvent, PromptCacheOptions } from "./options.ts";
import { Questions } from "./questions.ts";
import type { Reading } from "./read.ts";
import { type PromptSource, ResolvedPrompt } from "./resolved.ts";
import type { StoredCopies } from "./stored.ts";

/** After the time to live, a copy is served for this long while the registry is asked beside it. */
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

  /** How many copies are kept in memory. */
  get size(): number {
    return this.#memory.size;
  }

  /** What their texts take, as UTF-8. */
  get bytes(): number {
    return this.#memory.bytes;
  }

  /** Forgets all copies in memory, and what the registry refused. */
  clear(): void {
    this.#memory.clear();
    this.#questions.forget();
  }

  get(target: Target, asked: Asked): Promise<ResolvedPrompt> {
    if (!asked.isLocked) {
      const entry = this.#memory.get(target.key);
      if (entry !== undefined && isFresh(entry)) {
        if (this.#options.onEvent) this.#tellOf(target, entry.prompt);
        return entry.served;
      }
    }
    let resolved = this.#resolve(target, asked);
    if (this.#options.onEvent) resolved = resolved.then((prompt) => this.#tellOf(target, prompt));
    return asked.signal ? (within(Infinity, resolved, asked.signal) as typeof resolved) : resolved;
  }

  async #resolve(target: Target, asked: Asked): Promise<ResolvedPrompt> {
    if (asked.isLocked) return this.#locked(target);
    const found = this.#inMemory(target) ?? (await this.#fromDisk(target));
    if (found?.isFresh) return new ResolvedPrompt(found.copy, found.source);
    const kept = found && isWithin(this.#maxStaleMs, found.copy.confirmedAt) ? found : undefined;
    const early = this.#questions.early(target.key);
    if (early) return this.#conclude(target, early, kept, asked);
    if (kept && isWithin(this.#ttlMs + revalidateMs, kept.copy.confirmedAt)) {
      // Served at once, however many: none of them leaves something behind that waits for the one who asks.
      if (!this.#questions.isOpen(target.key)) this.#goesOn(this.#ask(target, patienceMs));
      return new ResolvedPrompt(kept.copy, kept.source, "revalidating");
    }
    const hasOther = kept || asked.fallback !== undefined || this.#copyOfLocked(target);
    if (!hasOther) return this.#conclude(target, await this.#ask(target), kept, asked);
    const waitMs = this.#options.patienceMs ?? (kept ? patienceMs : coldPatienceMs);
    const reading = this.#ask(target, waitMs);
    const known = await this.#questions.waitFor(reading, waitMs);
    if (known === undefined) this.#goesOn(reading);
    return this.#conclude(target, known ?? slow, kept, asked);
  }

  #conclude(target: Target, reading: Reading, kept: Found | undefined, { fallback }: Asked): ResolvedPrompt {
    if ("refusal" in reading) throw reading.refusal;
    if ("copy" in reading) return new ResolvedPrompt(reading.copy, "network");
    const { failure, problem } = reading;
    if (kept) return new ResolvedPrompt(kept.copy, kept.source, problem);
    const locked = this.#copyOfLocked(target);
    if (locked) return new ResolvedPrompt(locked, "lockfile", problem);
    if (fallback === undefined) throw failure;
    const given = typeof fallback === "function" ? fallback() : fallback;
    return new ResolvedPrompt(copyOfFallback(target, given), "fallback", problem);
  }

  #inMemory({ key }: Target): Found | undefined {
    const entry = this.#memory.get(key);
    return entry && { copy: entry.copy, source: "memory", isFresh: isFresh(entry) };
  }

  /** What the registry has refused is not looked for: it may still be there. */
  async #fromDisk(target: Target): Promise<Found | undefined> {
    if (this.#stored === undefined || this.#questions.isRefused(target.key)) return undefined;
    const copy = await (await this.#stored).read(target);
    return copy && { copy, source: "disk", isFresh: isFresh(this.#keep(target, copy)) };
  }

  /** Asks the registry, unless that is being done. */
  #ask(target: Target, waitMs?: number): Promise<Reading> {
    const kept = this.#memory.get(target.key)?.copy;
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
    if ("copy" in reading) {
      this.#keep(target, reading.copy);
      this.#onDisk((stored) => stored.write(target, reading.copy));
      this.#tell({ type: "write", ref, version: reading.copy.version });
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
      .filter(({ target, copy }) => target.label && (copy.promptId === id || copy.ref === ref));
    for (const entry of moved) entry.freshUntil = 0;
    const refresh = async ({ target }: Entry) => {
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

  #keep(target: Target, copy: Copy): Entry {
    const ttlMs = target.version === undefined ? this.#ttlMs : Number.POSITIVE_INFINITY;
    return this.#memory.put(target, copy, copy.confirmedAt + ttlMs);
  }

  #copyOfLocked(target: Target): Copy | undefined {
    return this.#options.lockfile && copyOfLocked(this.#options.lockfile, target);
  }

  #locked(target: Target): ResolvedPrompt {
    const locked = this.#copyOfLocked(target);
    if (locked === undefined) throw new NotLockedError(target);
    return new ResolvedPrompt(locked, "lockfile");
  }
}

/** A copy that is kept. */
interface Found {
  copy: Copy;
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
