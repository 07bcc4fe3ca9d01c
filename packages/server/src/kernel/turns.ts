import { apiError } from "@promptreg/core/errors";

/** How many requests of one address are worked on at once. With fewer, small reads are answered more slowly: 5 cost a third. */
export const turnsOfAddress = 16;

/** Somebody whose turn does not come within this is refused. */
const patienceMs = 10_000;

/** Who works now, and who waits, the first at first. */
interface Queue {
  working: number;
  waiting: Set<() => void>;
}

/**
 * Lets so many pieces of work of one key be done at once. The others wait, so that nobody has all sessions of the
 * database and all memory to themselves, however much they ask for at once.
 */
export class Turns {
  readonly #atOnce: number;
  readonly #queues = new Map<string, Queue>();

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** @throws {ApiError} `rate_limited` where the turn does not come in time. */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    let queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, (queue = { working: 0, waiting: new Set() }));
    if (queue.working < this.#atOnce) queue.working++;
    else await turnIn(queue);
    try {
      return await work();
    } finally {
      const [next] = queue.waiting;
      // Whoever waits takes the place over.
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
    const timer = setTimeout(() => end(() => reject(tooMany())), patienceMs);
    waiting.add(go);
  });
}

const tooMany = () =>
  apiError("rate_limited", {
    message:
      "Too much was asked for at once from your address. Wait for the answers before you ask for more.",
  });
