/** Who waits for a slice of the processor. */
interface Waiting {
  /** What its account used, in milliseconds. */
  usedMs: number;
  go: () => void;
}

/** A slice that somebody has. */
export interface Slice {
  /** Gives it on, and says how long it was, in milliseconds. */
  end(): number;
}

/** Shares the processor: so many work at once, each for a slice. Next comes whose account used least. */
export class Slices {
  #free: number;
  readonly #waiting = new Set<Waiting>();

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** @throws the signal's reason, once it aborts. */
  async take(usedMs: number, signal: AbortSignal): Promise<Slice> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(usedMs, signal);
    const startedMs = performance.now();
    return {
      end: () => {
        this.#give();
        return performance.now() - startedMs;
      },
    };
  }

  async #turn(usedMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { usedMs, go: resolve };
    const onAbort = () => this.#waiting.delete(waiting) && reject(signal.reason as Error);
    this.#waiting.add(waiting);
    signal.addEventListener("abort", onAbort);
    await promise.finally(() => signal.removeEventListener("abort", onAbort));
  }

  #give(): void {
    const [next] = [...this.#waiting].sort((a, b) => a.usedMs - b.usedMs);
    if (next === undefined) this.#free += 1;
    else {
      this.#waiting.delete(next);
      next.go();
    }
  }
}
