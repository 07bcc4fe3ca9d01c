import type { CacheEntry, Target } from "./content.ts";
import { ResolvedPrompt } from "./resolved.ts";

/** A place in memory, with the cache entry in it. */
export interface Slot {
  readonly target: Target;
  entry: CacheEntry;
  bytes: number;
  /** Served again and again while the cache entry is fresh: to make a new one would cost more than to look it up. */
  prompt: ResolvedPrompt;
  served: Promise<ResolvedPrompt>;
  /** Milliseconds since 1970, until which nobody asks; for ever for a pinned version. */
  freshUntil: number;
  /** Grows with each use. */
  usedAt: number;
}

/** Whether so much has not passed since then. A clock that was put back or forward makes nothing last longer. */
export const isWithin = (ms: number, at: number): boolean => Math.abs(Date.now() - at) < ms;

/** A clock that was put back makes nothing fresh. */
export function isFresh({ freshUntil, entry }: Slot): boolean {
  if (freshUntil === Number.POSITIVE_INFINITY) return true;
  const now = Date.now();
  return now < freshUntil && now >= entry.confirmedAt;
}

/** Cache entries by target. Those used longest ago leave first when memory is full. */
export class Memory {
  readonly #maxBytes: number;
  readonly #slots = new Map<string, Slot>();
  #bytes = 0;
  #uses = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The size of the cache entries, as UTF-8. */
  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#slots.size;
  }

  get(key: string): Slot | undefined {
    const slot = this.#slots.get(key);
    if (slot) slot.usedAt = ++this.#uses;
    return slot;
  }

  /** Stores a cache entry in place of the previous one. One that is larger than all of memory is returned, not stored. */
  put(target: Target, entry: CacheEntry, freshUntil: number): Slot {
    this.delete(target.key);
    const prompt = new ResolvedPrompt(entry, "memory");
    const served = Promise.resolve(prompt);
    const bytes = new TextEncoder().encode(JSON.stringify(entry)).length;
    const slot: Slot = { target, entry, bytes, prompt, served, freshUntil, usedAt: ++this.#uses };
    if (bytes > this.#maxBytes) return slot;
    this.#slots.set(target.key, slot);
    this.#bytes += bytes;
    this.#makeRoom();
    return slot;
  }

  delete(key: string): void {
    this.#bytes -= this.#slots.get(key)?.bytes ?? 0;
    this.#slots.delete(key);
  }

  clear(): void {
    this.#slots.clear();
    this.#bytes = 0;
  }

  /** All that is kept. */
  values(): Slot[] {
    return [...this.#slots.values()];
  }

  /** A tenth is let go at once, so that what was used longest ago need not be looked for each time. */
  #makeRoom(): void {
    if (this.#bytes <= this.#maxBytes) return;
    for (const { target } of this.values().sort((a, b) => a.usedAt - b.usedAt)) {
      if (this.#bytes <= this.#maxBytes * 0.9) return;
      this.delete(target.key);
    }
  }
}
