import type { CacheEntry, Target } from "./content.ts";
import { ResolvedPrompt } from "./resolved.ts";

/** A slot in memory, with its cache entry. */
export interface Slot {
  readonly target: Target;
  entry: CacheEntry;
  bytes: number;
  /** Served with each get while the cache entry is fresh: a new object would cost more than the lookup. */
  prompt: ResolvedPrompt;
  served: Promise<ResolvedPrompt>;
  /** In milliseconds since 1970. Infinity for a pinned version. */
  freshUntil: number;
  /** Grows with each use. */
  usedAt: number;
}

/** Whether less than `ms` has passed since `at`. A clock that is set back or forward makes nothing last longer. */
export const isWithin = (ms: number, at: number): boolean => Math.abs(Date.now() - at) < ms;

/** A clock that is set back makes nothing fresh. */
export function isFresh({ freshUntil, entry }: Slot): boolean {
  if (freshUntil === Infinity) return true;
  const now = Date.now();
  return now < freshUntil && now >= entry.confirmedAt;
}

/** Cache entries by target. If memory is full, the least recently used are evicted. */
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

  /** Stores a cache entry in place of the previous one. An entry that is larger than the whole memory is not stored. */
  put(target: Target, entry: CacheEntry, freshUntil: number): Slot {
    this.delete(target.key);
    const prompt = new ResolvedPrompt(target, entry, "memory");
    const served = Promise.resolve(prompt);
    const bytes = new TextEncoder().encode(JSON.stringify(entry)).length;
    const slot: Slot = { target, entry, bytes, prompt, served, freshUntil, usedAt: ++this.#uses };
    if (bytes > this.#maxBytes) return slot;
    this.#slots.set(target.key, slot);
    this.#bytes += bytes;
    this.#evict();
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

  values(): Slot[] {
    return [...this.#slots.values()];
  }

  /** Evicts a tenth at once, so that the entries are not sorted each time. */
  #evict(): void {
    if (this.#bytes <= this.#maxBytes) return;
    for (const { target } of this.values().sort((a, b) => a.usedAt - b.usedAt)) {
      if (this.#bytes <= this.#maxBytes * 0.9) return;
      this.delete(target.key);
    }
  }
}
