import { apiError } from "@promptreg/core/errors";

/** Concurrent requests per address. Fewer slow down small reads: 5 cost a third. */
export const turnsOfAddress = 16;

/** A request that waits longer is refused. */
const waitMs = 10_000;

/** What runs now, and what waits, first come first. */
interface Queue {
  working: number;
  waiting: Set<() => void>;
}

/**
 * Limits concurrent work per key. The rest waits, so that no single client can use up the database connections and the
 * memory.
 */
export class Turns {
  readonly #atOnce: number;
  readonly #queues = new Map<string, Queue>();

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** @throws {ApiError} `rate_limited` after waiting too long. */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    let queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, (queue = { working: 0, waiting: new Set() }));
    if (queue.working < this.#atOnce) queue.working++;
    else await turnIn(queue);
    try {
      return await work();
    } finally {
      const [next] = queue.waiting;
      // The next one takes over.
      if (next) next();
      else if (--queue.working === 0) this.#queues.delete(key);
    }
  }
}

function turnIn({ waiting }: Queue): Promise<void> {
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
    message: "Too many concurrent requests from your address. Wait for answers before you send more.",
  });
