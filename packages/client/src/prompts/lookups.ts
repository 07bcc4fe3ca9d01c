import type { Connection } from "../exchange.ts";
import { ConnectionError } from "../errors.ts";
import { type Limits, limit } from "../limits.ts";
import { within } from "../within.ts";
import type { CacheEntry, Target } from "./content.ts";
import { isWithin } from "./memory.ts";
import { type ReadOptions, type LookupResult, read } from "./read.ts";
import { remember } from "./remember.ts";

/** The limit of a request for which nobody may be waiting: while it runs, it keeps the process alive. */
const backgroundLimitMs = 10_000;
/** A request that runs for so much longer than its limit is lost. */
const graceMs = 1_000;
const firstPauseMs = 1_000;
const longestPauseMs = 60_000;
/** Short, since somebody may create the missing prompt, or renew the token, and expects to get it. */
const longestRefusedMs = 10_000;
/** How long a slow response counts, if there was none since. */
const slowMs = 300_000;
/** The largest number of targets whose failures are remembered. */
const maxFailed = 5_000;

/** How a target is requested. */
export interface LookupOptions extends Pick<ReadOptions, "kept" | "onRefused"> {
  /** How long the caller waits before it serves something else; absent if it has nothing else. */
  patienceMs?: number | undefined;
}

interface Running {
  result: Promise<LookupResult>;
  limits: Limits;
}

interface Failed {
  result: Exclude<LookupResult, { entry: CacheEntry }>;
  /** In milliseconds since 1970. */
  at: number;
  pauseMs: number;
  /** In a row. */
  count: number;
  /** Whether the last response of the registry was a refusal, even if later requests failed. */
  isRefused: boolean;
}

/** Requests prompts, single-flight for each, and remembers failures for a while. */
export class Lookups {
  readonly #connection: Connection;
  readonly #onResult: (target: Target, result: LookupResult) => void;
  readonly #closing = new AbortController();
  readonly #running = new Map<string, Running>();
  readonly #failed = new Map<string, Failed>();
  /** How long the last request took, or has taken so far. */
  #last = { at: 0, ms: 0 };

  /** @param onResult gets each result once, before the callers do. */
  constructor(connection: Connection, onResult: (target: Target, result: LookupResult) => void) {
    this.#connection = connection;
    this.#onResult = onResult;
  }

  /** The last failure, while it is too early for a retry. */
  recentFailure(key: string): LookupResult | undefined {
    const failed = this.#failed.get(key);
    return failed && isWithin(failed.pauseMs, failed.at) ? failed.result : undefined;
  }

  isRefused(key: string): boolean {
    return this.#failed.get(key)?.isRefused === true;
  }

  isRunning(key: string): boolean {
    const running = this.#running.get(key);
    return running !== undefined && running.limits.leftMs() + graceMs > 0;
  }

  /** Waits for a result. If the registry was slower than that before, it does not wait at all. */
  async waitFor(running: Promise<LookupResult>, patienceMs: number): Promise<LookupResult | undefined> {
    const { at, ms } = this.#last;
    if (ms >= patienceMs && isWithin(slowMs, at)) return undefined;
    const known = await within(patienceMs, running);
    if (known === undefined) this.#last = { at: Date.now(), ms: patienceMs };
    return known;
  }

  /** Requests a target, single-flight. Never rejects. */
  async request(target: Target, options: LookupOptions): Promise<LookupResult> {
    const { key } = target;
    const running = this.#running.get(key) ?? this.#begin(target, options);
    // When a worker's request ends, the runtime drops what it began: its promises fail, or never settle.
    const leftMs = Math.max(0, running.limits.leftMs() + graceMs);
    const known = await within(leftMs, running.result).catch(() => undefined);
    if (known !== undefined) return known;
    this.#end(key, running);
    return this.request(target, options);
  }

  #begin(target: Target, options: LookupOptions): Running {
    const connection = { ...this.#connection };
    // The default is set too, so that it ends a slow response.
    if (options.patienceMs === undefined) connection.deadlineMs = limit(connection).deadlineMs;
    else {
      connection.retries = 0;
      connection.deadlineMs = Math.min(
        connection.deadlineMs ?? Infinity,
        Math.max(backgroundLimitMs, options.patienceMs),
      );
    }
    const result = this.#request(connection, target, options).finally(() => this.#end(target.key, running));
    const running = { result, limits: limit(connection) };
    this.#running.set(target.key, running);
    return running;
  }

  #end(key: string, running: Running): void {
    if (this.#running.get(key) === running) this.#running.delete(key);
  }

  async #request(connection: Connection, target: Target, options: LookupOptions): Promise<LookupResult> {
    const startedMs = performance.now();
    const result = await read(connection, target, { ...options, signal: this.#closing.signal });
    this.#last = { at: Date.now(), ms: performance.now() - startedMs };
    if ("entry" in result) this.#failed.delete(target.key);
    else this.#remember(target.key, result);
    this.#onResult(target, result);
    return result;
  }

  #remember(key: string, result: Failed["result"]): void {
    const before = this.#failed.get(key);
    const count = (before?.count ?? 0) + 1;
    const isRefusal = "refusal" in result;
    const isRefused = isRefusal || before?.isRefused === true;
    const isBrief = isRefusal || result.problem === "unauthenticated";
    const longestMs = isBrief ? longestRefusedMs : longestPauseMs;
    const retryAfterMs = isRefusal ? 0 : result.retryAfterMs;
    const ownMs = Math.min(longestMs, firstPauseMs * 2 ** (count - 1));
    // With jitter, so that clients do not all return at the same time.
    const pauseMs = Math.max(ownMs * (0.5 + Math.random() / 2), Math.min(longestMs, retryAfterMs));
    remember(this.#failed, key, { result, at: Date.now(), pauseMs, count, isRefused }, maxFailed);
  }

  /** Forgets the failures of a prompt, so that it can be requested at once. Without a ref: of all prompts. */
  forget(ref = ""): void {
    for (const key of this.#failed.keys())
      if (ref === "" || key.startsWith(`${ref}@`)) this.#failed.delete(key);
  }

  /** Ends all requests for good. */
  async close(): Promise<void> {
    this.#closing.abort(new ConnectionError("The client is closed."));
    await Promise.all([...this.#running.values()].map(({ result }) => result));
  }
}
