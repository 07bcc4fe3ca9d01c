import { apiError } from "@promptreg/core/errors";

/** Concurrent requests per address. Fewer make small reads slower: with 5 their rate is a third lower. */
export const turnsOfAddress = 16;

/** A request that waits longer is refused. */
const mostWaitMs = 10_000;

/** How many run, and what waits, in order. */
interface Queue {
  working: number;
  waiting: Set<() => void>;
}

/**
 * Limits concurrent work per key. Further work waits, so that one client cannot use up the database connections and the
 * memory.
 */
export class Turns {
  readonly #atOnce: number;
  readonly #waitMs: number;
  readonly #queues = new Map<string, Queue>();

  constructor(atOnce: number, waitMs = mostWaitMs) {
    this.#atOnce = atOnce;
    this.#waitMs = waitMs;
  }

  /** @throws {ApiError} `rate_limited` after waiting too long. */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    let queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, (queue = { working: 0, waiting: new Set() }));
    if (queue.working < this.#atOnce) queue.working++;
    else await turnIn(queue, this.#waitMs);
    try {
      return await work();
    } finally {
      const [next] = queue.waiting;
      // The next one takes over the turn: the count stays.
      if (next) next();
      else if (--queue.working === 0) this.#queues.delete(key);
    }
  }
}

function turnIn({ waiting }: Queue, waitMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer);
      waiting.delete(go);
      settle();
    };
    const go = () => end(resolve);
    const timer = setTimeout(() => end(() => reject(tooMany())), waitMs);
    waiting.add(go);
  });
}

const tooMany = () =>
  apiError("rate_limited", {
    message: "Too many concurrent requests from your address. Wait for responses before you send more.",
  });
