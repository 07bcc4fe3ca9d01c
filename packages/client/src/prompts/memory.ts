import type { Copy, Target } from "./content.ts";
import { ResolvedPrompt } from "./resolved.ts";

/** A copy that is kept in memory. */
export interface Entry {
  readonly target: Target;
  copy: Copy;
  bytes: number;
  /** Served again and again while the copy is fresh: to make a new one would cost more than to look it up. */
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
export function isFresh({ freshUntil, copy }: Entry): boolean {
  if (freshUntil === Number.POSITIVE_INFINITY) return true;
  const now = Date.now();
  return now < freshUntil && now >= copy.confirmedAt;
}

/** Copies by target, those used last, as far as they fit. */
export class Memory {
  readonly #maxBytes: number;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  #uses = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** What the texts of the copies take, as UTF-8. */
  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry) entry.usedAt = ++this.#uses;
    return entry;
  }

  /** Puts a copy in the place of the one before. One that does not fit by itself is given back, and not kept. */
  put(target: Target, copy: Copy, freshUntil: number): Entry {
    this.delete(target.key);
    const prompt = new ResolvedPrompt(copy, "memory");
    const served = Promise.resolve(prompt);
    const bytes = new TextEncoder().encode(JSON.stringify(copy)).length;
    const entry: Entry = {
      target,
      copy,
      bytes,
      prompt,
      served,
      freshUntil,
      usedAt: ++this.#uses,
    };
    if (bytes > this.#maxBytes) return entry;
    this.#entries.set(target.key, entry);
    this.#bytes += bytes;
    this.#makeRoom();
    return entry;
  }

  delete(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  /** All that is kept. */
  values(): Entry[] {
    return [...this.#entries.values()];
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
