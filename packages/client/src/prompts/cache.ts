import type { Connection } from "../call.ts";
import { ConnectionError } from "../errors.ts";
import { limit } from "../limits.ts";
import { within } from "../within.ts";
import { type Copy, copyOfFallback, type Fallback, type Target } from "./content.ts";
import type { PromptDisk } from "./disk.ts";
import { copyOfLocked, type Lockfile, NotLockedError } from "./lockfile.ts";
import { type Entry, Memory } from "./memory.ts";
import { type Reading, read } from "./read.ts";
import { ResolvedPrompt, type StaleReason } from "./resolved.ts";
import type { AbortSignal } from "../web.ts";

/** How prompts are kept. All times in milliseconds. */
export interface PromptCacheOptions {
  /** How long a label is served without asking; 60,000 when absent. */
  ttlMs?: number;
  /** How old a label may be when the registry cannot be asked; no bound when absent. */
  maxStaleMs?: number;
  /** What the copies in memory may take, as UTF-8; 32 MiB when absent. */
  maxBytes?: number;
  /** Keeps copies over the end of the process: `promptDisk()` of `@promptreg/client/disk`. */
  disk?: PromptDisk;
  /** What stands in when the registry cannot be asked, and nothing is kept: `readLockfile(text)`, or the parsed file. */
  lockfile?: Lockfile;
  /** Takes work that goes on after an answer, as edge runtimes want it: `ctx.waitUntil`. */
  waitUntil?: (work: Promise<unknown>) => void;
}

/** What can be said about a single get. */
export interface GetPromptOptions {
  /** Ends the wait of this caller; what is being asked goes on for others. */
  signal?: AbortSignal;
}

/** After the time to live, a copy is served for this long while the registry is asked beside it. */
const revalidateMs = 60_000;
/** Beyond that a get waits this long for the registry before it serves what it has. */
const patienceMs = 1_000;
/** How long one waits that has nothing, but a lockfile or a fallback. */
const coldPatienceMs = 5_000;
/** So much later than it may take, what is being asked has ended, or is lost. */
const lateMs = 1_000;
const firstPauseMs = 1_000;
const longestPauseMs = 60_000;

/** Asks for prompts, and keeps them. Refreshed by use and never by a timer, which a frozen process would not run. */
export class PromptCache {
  readonly #connection: Connection;
  readonly #options: PromptCacheOptions;
  readonly #ttlMs: number;
  readonly #maxStaleMs: number;
  readonly #memory: Memory;
  /** What is being asked, so that nobody asks it twice. */
  readonly #readings = new Map<string, UnderWay>();

  constructor(connection: Connection, options: PromptCacheOptions = {}) {
    this.#connection = connection;
    this.#options = options;
    this.#ttlMs = options.ttlMs ?? 60_000;
    this.#maxStaleMs = options.maxStaleMs ?? Number.POSITIVE_INFINITY;
    this.#memory = new Memory(options.maxBytes ?? 32 * 1024 * 1024);
  }

  /** How many copies are kept in memory. */
  get size(): number {
    return this.#memory.size;
  }

  /** What their texts take, as UTF-8. */
  get bytes(): number {
    return this.#memory.bytes;
  }

  /** Forgets all copies in memory. */
  clear(): void {
    this.#memory.clear();
  }

  get(target: Target, asked: Asked): Promise<ResolvedPrompt> {
    if (!asked.isLocked) {
      const entry = this.#memory.get(target.key);
      if (entry !== undefined && isFresh(entry)) return entry.served;
    }
    const resolved = this.#resolve(target, asked);
    return asked.signal ? (within(Infinity, resolved, asked.signal) as typeof resolved) : resolved;
  }

  async #resolve(target: Target, asked: Asked): Promise<ResolvedPrompt> {
    if (asked.isLocked) return this.#locked(target);
    const kept = this.#memory.get(target.key);
    const copy = kept ? undefined : await this.#fromDisk(target);
    const entry = copy ? this.#keep(target, copy) : kept;
    if (copy && entry && isFresh(entry)) return new ResolvedPrompt(copy, "disk");
    return entry !== undefined && ageOf(entry) <= this.#maxStaleMs
      ? this.#resolveKept(entry, copy ? "disk" : "memory", asked)
      : this.#resolveCold(target, asked);
  }

  /** Something old is at hand. */
  async #resolveKept(entry: Entry, source: "memory" | "disk", asked: Asked): Promise<ResolvedPrompt> {
    const stale = (reason: StaleReason) => new ResolvedPrompt(entry.copy, source, reason);
    if (Date.now() < entry.retryAt) return stale(entry.lastProblem);
    if (ageOf(entry) < this.#ttlMs + revalidateMs) {
      // Served at once, however many: none of them leaves something behind that waits for the one who asks.
      if (!this.#isAsked(entry.target)) {
        const reading = this.#read(entry.target, { retries: 0 });
        this.#options.waitUntil?.(reading);
      }
      return stale("revalidating");
    }
    const reading = this.#read(entry.target, { retries: 0 });
    const known = await within(patienceMs, reading);
    if (known === undefined) {
      this.#options.waitUntil?.(reading);
      return stale("slow");
    }
    if ("failure" in known) return stale(known.problem);
    return this.#conclude(entry.target, known, asked);
  }

  /** Nothing is at hand, or nothing young enough. */
  async #resolveCold(target: Target, asked: Asked): Promise<ResolvedPrompt> {
    const hasOther = asked.fallback !== undefined || this.#copyOfLocked(target) !== undefined;
    const reading = this.#read(target, { retries: hasOther ? 0 : this.#connection.retries });
    if (!hasOther) return this.#conclude(target, await reading, asked);
    const known = await within(coldPatienceMs, reading);
    if (known === undefined) this.#options.waitUntil?.(reading);
    return this.#conclude(target, known ?? slow, asked);
  }

  #conclude(target: Target, reading: Reading, { fallback }: Asked): ResolvedPrompt {
    if ("refusal" in reading) throw reading.refusal;
    if ("copy" in reading) return new ResolvedPrompt(reading.copy, "network");
    const locked = this.#copyOfLocked(target);
    if (locked) return new ResolvedPrompt(locked, "lockfile", reading.problem);
    if (fallback === undefined) throw reading.failure;
    const given = typeof fallback === "function" ? fallback() : fallback;
    return new ResolvedPrompt(copyOfFallback(target, given), "fallback", reading.problem);
  }

  #isAsked({ key }: Target): boolean {
    const underWay = this.#readings.get(key);
    return underWay !== undefined && Date.now() < underWay.endsAt;
  }

  /** Asks the registry, unless that is being done, and keeps what it says. */
  #read(target: Target, how: { retries: number }): Promise<Reading> {
    const { key } = target;
    const underWay = this.#readings.get(key);
    if (underWay !== undefined) return this.#share(underWay, target, how);
    const reading = this.#readAndKeep(target, how.retries).finally(() => this.#readings.delete(key));
    this.#readings.set(key, { reading, endsAt: Date.now() + limit(this.#connection).deadlineMs + lateMs });
    return reading;
  }

  /** A worker loses what a request began when that has ended: a promise of it fails, or never settles. */
  async #share(underWay: UnderWay, target: Target, how: { retries: number }): Promise<Reading> {
    const { reading, endsAt } = underWay;
    const known = await within(Math.max(0, endsAt - Date.now()), reading).catch(() => undefined);
    if (known !== undefined) return known;
    if (this.#readings.get(target.key) === underWay) this.#readings.delete(target.key);
    return this.#read(target, how);
  }

  async #readAndKeep(target: Target, retries: number): Promise<Reading> {
    const kept = this.#memory.get(target.key);
    const reading = await read(this.#connection, target, { kept: kept?.copy, retries });
    if ("copy" in reading) {
      this.#keep(target, reading.copy);
      this.#onDisk((disk, address) => disk.write(address, JSON.stringify(reading.copy)), target);
    } else if ("refusal" in reading) {
      this.#memory.delete(target.key);
      this.#onDisk((disk, address) => disk.remove(address), target);
    } else if (kept) {
      kept.failures += 1;
      kept.lastProblem = reading.problem;
      kept.retryAt = Date.now() + Math.max(pauseAfter(kept.failures), reading.retryAfterMs);
    }
    return reading;
  }

  /** Asks anew for all that is kept of a prompt, by an answer that begins after now; gives what was asked for. */
  async refresh({ id, ref }: { id: string; ref: string }): Promise<string[]> {
    const moved = this.#memory
      .values()
      .filter(({ target, copy }) => target.label && (copy.promptId === id || copy.ref === ref));
    for (const entry of moved) entry.freshUntil = 0;
    const refresh = async ({ target }: Entry) => {
      const { retries } = this.#connection;
      if (this.#readings.has(target.key)) await this.#read(target, { retries });
      await this.#read(target, { retries });
      return target.key;
    };
    return Promise.all(moved.map(refresh));
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

  async #fromDisk(target: Target): Promise<Copy | undefined> {
    const { disk } = this.#options;
    try {
      const text = await disk?.read(await this.#addressOf(target));
      return text === undefined ? undefined : (JSON.parse(text) as Copy);
    } catch {
      // It is one source of several; what cannot be read is asked for.
      return undefined;
    }
  }

  #onDisk(work: (disk: PromptDisk, address: string) => Promise<void>, target: Target): void {
    const { disk, waitUntil } = this.#options;
    if (disk === undefined) return;
    const done = this.#addressOf(target)
      .then((address) => work(disk, address))
      .catch(() => {});
    waitUntil?.(done);
  }

  /** Whose copy it is belongs to it: another account may not see the same. */
  async #addressOf({ key }: Target): Promise<string> {
    const { baseUrl, token } = this.#connection;
    return [baseUrl, typeof token === "function" ? await token() : token, key].join("\n");
  }
}

interface UnderWay {
  reading: Promise<Reading>;
  /** By when it has ended, in milliseconds since 1970. */
  endsAt: number;
}

/** What a handle asks with each get. */
export interface Asked extends GetPromptOptions {
  fallback?: Fallback | (() => Fallback) | undefined;
  isLocked: boolean;
}

const slow: Reading = {
  failure: new ConnectionError("The registry did not answer in time."),
  problem: "slow",
  retryAfterMs: 0,
};

/** A clock that was put back makes nothing fresh. */
function isFresh({ freshUntil, copy }: Entry): boolean {
  if (freshUntil === Number.POSITIVE_INFINITY) return true;
  const now = Date.now();
  return now < freshUntil && now >= copy.confirmedAt;
}

const ageOf = ({ copy }: Entry): number => Math.abs(Date.now() - copy.confirmedAt);

/** Twice as long after each failure, and never the same for all: who comes back together is turned away together. */
const pauseAfter = (failures: number): number =>
  Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);
