import type { Connection } from "../call.ts";
import { ConnectionError } from "../errors.ts";
import { type Limits, limit } from "../limits.ts";
import { within } from "../within.ts";
import type { CacheEntry, Target } from "./content.ts";
import { isWithin } from "./memory.ts";
import { type HowToRead, type Reading, read } from "./read.ts";
import { remember } from "./remember.ts";

/** A question for which nobody may be waiting ends by then: while it is out, it holds the process. */
const besideMs = 10_000;
/** So much later than it may take, what is being asked has ended, or is lost. */
const lateMs = 1_000;
const firstPauseMs = 1_000;
const longestPauseMs = 60_000;
/** Who makes what was missing, or renews a token, wants it to be found. */
const longestRefusedMs = 10_000;
/** For how long it counts that the registry was slow, where nothing was heard of it since. */
const slowMs = 300_000;
/** Of so many targets it is remembered how they failed, however many are asked for. */
const mostFailed = 5_000;

/** How a target is asked for. */
export interface Asking extends Pick<HowToRead, "kept" | "onRefused"> {
  /** For how long who asks waits, having something else to serve; absent where that is nothing. */
  patienceMs?: number | undefined;
}

interface Open {
  reading: Promise<Reading>;
  limits: Limits;
}

interface Failed {
  reading: Exclude<Reading, { entry: CacheEntry }>;
  /** In milliseconds since 1970. */
  at: number;
  pauseMs: number;
  /** In a row. */
  count: number;
  /** Whether the last that the registry said of it is no, whatever failed since. */
  isRefused: boolean;
}

/** Asks for prompts, one question at a time for each, and remembers for a while what came of those that failed. */
export class Questions {
  readonly #connection: Connection;
  readonly #onReading: (target: Target, reading: Reading) => void;
  readonly #closing = new AbortController();
  readonly #open = new Map<string, Open>();
  readonly #failed = new Map<string, Failed>();
  /** How long the last one took, or has taken by then at least. */
  #last = { at: 0, ms: 0 };

  /** @param onReading hears each answer once, before those who asked. */
  constructor(connection: Connection, onReading: (target: Target, reading: Reading) => void) {
    this.#connection = connection;
    this.#onReading = onReading;
  }

  /** What came of asking last, while it is too early to ask again. */
  early(key: string): Reading | undefined {
    const failed = this.#failed.get(key);
    return failed && isWithin(failed.pauseMs, failed.at) ? failed.reading : undefined;
  }

  isRefused(key: string): boolean {
    return this.#failed.get(key)?.isRefused === true;
  }

  isOpen(key: string): boolean {
    const open = this.#open.get(key);
    return open !== undefined && open.limits.leftMs() + lateMs > 0;
  }

  /** Waits for an answer, unless the registry has kept others waiting for as long: then not at all. */
  async waitFor(reading: Promise<Reading>, patienceMs: number): Promise<Reading | undefined> {
    const { at, ms } = this.#last;
    if (ms >= patienceMs && isWithin(slowMs, at)) return undefined;
    const known = await within(patienceMs, reading);
    if (known === undefined) this.#last = { at: Date.now(), ms: patienceMs };
    return known;
  }

  /** Asks, unless that is being done. Never rejects. */
  async ask(target: Target, how: Asking): Promise<Reading> {
    const { key } = target;
    const open = this.#open.get(key) ?? this.#begin(target, how);
    // A worker loses what a request began when that has ended: a promise of it fails, or never settles.
    const leftMs = Math.max(0, open.limits.leftMs() + lateMs);
    const known = await within(leftMs, open.reading).catch(() => undefined);
    if (known !== undefined) return known;
    this.#end(key, open);
    return this.ask(target, how);
  }

  #begin(target: Target, how: Asking): Open {
    const connection = { ...this.#connection };
    if (how.patienceMs !== undefined) {
      connection.retries = 0;
      connection.deadlineMs = Math.min(
        connection.deadlineMs ?? Number.POSITIVE_INFINITY,
        Math.max(besideMs, how.patienceMs),
      );
    }
    const reading = this.#answer(connection, target, how).finally(() => this.#end(target.key, open));
    const open = { reading, limits: limit(connection) };
    this.#open.set(target.key, open);
    return open;
  }

  #end(key: string, open: Open): void {
    if (this.#open.get(key) === open) this.#open.delete(key);
  }

  async #answer(connection: Connection, target: Target, how: Asking): Promise<Reading> {
    const startedMs = performance.now();
    const reading = await read(connection, target, { ...how, signal: this.#closing.signal });
    this.#last = { at: Date.now(), ms: performance.now() - startedMs };
    if ("entry" in reading) this.#failed.delete(target.key);
    else this.#remember(target.key, reading);
    this.#onReading(target, reading);
    return reading;
  }

  #remember(key: string, reading: Failed["reading"]): void {
    const before = this.#failed.get(key);
    const count = (before?.count ?? 0) + 1;
    const isRefusal = "refusal" in reading;
    const isRefused = isRefusal || before?.isRefused === true;
    const isBrief = isRefusal || reading.problem === "unauthenticated";
    const longestMs = isBrief ? longestRefusedMs : longestPauseMs;
    const askedMs = isRefusal ? 0 : reading.retryAfterMs;
    const ownMs = Math.min(longestMs, firstPauseMs * 2 ** (count - 1));
    // Never the same for all: who comes back together is turned away together.
    const pauseMs = Math.max(ownMs * (0.5 + Math.random() / 2), Math.min(longestMs, askedMs));
    remember(this.#failed, key, { reading, at: Date.now(), pauseMs, count, isRefused }, mostFailed);
  }

  /** Lets a prompt be asked for at once; all of them when none is named. */
  forget(ref = ""): void {
    for (const key of this.#failed.keys())
      if (ref === "" || key.startsWith(`${ref}@`)) this.#failed.delete(key);
  }

  /** Ends what is being asked, for good. */
  async close(): Promise<void> {
    this.#closing.abort(new ConnectionError("The client is closed."));
    await Promise.all([...this.#open.values()].map(({ reading }) => reading));
  }
}
