import { apiError } from "@promptreg/core/errors";
import type { Bus, Changed } from "./bus.ts";

/** Waits of a process. */
const mostWaits = 20_000;
/** Waits that end in a millisecond, so that all that a change ends do not take the time of others in the same instant. */
const endsAtOnce = 20;
/** Names whose last change is remembered. */
const rememberedNames = 10_000;

interface Waiter {
  names: readonly string[];
  end(): void;
}

/** A wait for a change. */
export interface Wait {
  /** What the bus may announce. */
  names: readonly string[];
  /** What `sequence` was before what is shown was read. */
  since: number;
  ms: number;
  /** Ends the wait early: nobody wants the answer any more. */
  signal: AbortSignal;
}

/** Reads that wait in this process until something changes. They use no connection of the database. */
export class Waits {
  readonly #bus: Pick<Bus, "subscribe">;
  readonly #most: number;
  #isListening = false;
  #isStopped = false;
  /** Grows with each announcement. */
  #sequence = 0;
  /** When each name was announced last, the latest last. What changed before `#forgotten` may be missing. */
  readonly #changedAt = new Map<string, number>();
  #forgotten = 0;
  #count = 0;
  readonly #waiting = new Map<string, Set<Waiter>>();
  /** Those to end, in order. */
  readonly #ending = new Set<Waiter>();
  #timer: NodeJS.Timeout | undefined;

  constructor(bus: Pick<Bus, "subscribe">, most = mostWaits) {
    this.#bus = bus;
    this.#most = most;
  }

  /** How many wait. */
  get size(): number {
    return this.#count;
  }

  /** A time by the announcements. Before its first wait a process hears none. */
  get sequence(): number {
    if (!this.#isListening) this.#bus.subscribe((changed) => this.#hear(changed));
    this.#isListening = true;
    return this.#sequence;
  }

  /**
   * Waits until one of some names is announced, and gives whether one was, or may have been. After `stop` it does not wait.
   * @throws {ApiError} `rate_limited` if too many wait.
   */
  async until({ names, since, ms, signal }: Wait): Promise<boolean> {
    if (this.hasChanged(names, since)) return true;
    if (this.#isStopped || signal.aborted) return false;
    if (this.#count >= this.#most)
      throw apiError("rate_limited", {
        message: "Too many requests wait for changes. Ask without `Prefer: wait`, or wait later.",
      });
    this.#count++;
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = () => resolve();
    const waiter: Waiter = { names, end };
    for (const name of names) this.#waitersOf(name).add(waiter);
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
    await promise;
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
    this.#remove(waiter);
    return this.hasChanged(names, since);
  }

  /** Ends all waits, one after the other, and lets nobody wait any more. */
  stop(): void {
    this.#isStopped = true;
    this.#endSoon([...this.#waiting.values()].flatMap((waiters) => [...waiters]));
  }

  /** Whether one of some names was announced since then, or may have been. */
  hasChanged(names: readonly string[], since: number): boolean {
    return since < this.#forgotten || names.some((name) => (this.#changedAt.get(name) ?? 0) > since);
  }

  #waitersOf(name: string): Set<Waiter> {
    const waiters = this.#waiting.get(name) ?? new Set();
    this.#waiting.set(name, waiters);
    return waiters;
  }

  #remove(waiter: Waiter): void {
    this.#count--;
    this.#ending.delete(waiter);
    for (const name of waiter.names) {
      const waiters = this.#waitersOf(name);
      waiters.delete(waiter);
      if (waiters.size === 0) this.#waiting.delete(name);
    }
  }

  #hear(changed: Changed): void {
    this.#sequence++;
    if (changed === null) this.#forget(this.#sequence);
    for (const name of changed ?? []) {
      this.#changedAt.delete(name);
      this.#changedAt.set(name, this.#sequence);
    }
    while (this.#changedAt.size > rememberedNames) {
      const [oldest] = this.#changedAt;
      if (oldest) this.#forget(oldest[1]);
    }
    for (const name of changed ?? this.#waiting.keys()) this.#endSoon(this.#waiting.get(name) ?? []);
  }

  #forget(until: number): void {
    this.#forgotten = until;
    for (const [name, at] of this.#changedAt) {
      if (at > until) break;
      this.#changedAt.delete(name);
    }
  }

  #endSoon(waiters: Iterable<Waiter>): void {
    for (const waiter of waiters) this.#ending.add(waiter);
    if (this.#timer === undefined) this.#endSome();
  }

  #endSome(): void {
    let left = endsAtOnce;
    for (const waiter of this.#ending) {
      if (left-- === 0) break;
      this.#ending.delete(waiter);
      waiter.end();
    }
    this.#timer = this.#ending.size > 0 ? setTimeout(() => this.#endSome(), 1) : undefined;
  }
}
