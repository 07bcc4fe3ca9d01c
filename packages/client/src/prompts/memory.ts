import type { Copy, Target } from "./content.ts";
import { ResolvedPrompt, type StaleReason } from "./resolved.ts";

/** A copy that is kept in memory, and how asking for a newer one has gone. */
export interface Entry {
  readonly target: Target;
  copy: Copy;
  bytes: number;
  /** Served again and again while the copy is fresh: to make a new one would cost more than to look it up. */
  served: Promise<ResolvedPrompt>;
  /** Milliseconds since 1970, until which nobody asks; for ever for a pinned version. */
  freshUntil: number;
  /** Grows with each use. */
  usedAt: number;
  /** In a row. */
  failures: number;
  /** Nobody asks again before; milliseconds since 1970. */
  retryAt: number;
  lastProblem: StaleReason;
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
    const served = Promise.resolve(new ResolvedPrompt(copy, "memory"));
    const bytes = new TextEncoder().encode(JSON.stringify(copy)).length;
    const entry: Entry = {
      target,
      copy,
      bytes,
      served,
      freshUntil,
      usedAt: ++this.#uses,
      failures: 0,
      retryAt: 0,
      lastProblem: "unreachable",
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
