import { setTimeout as delay } from "node:timers/promises";
import { leaseSeconds } from "./drain.sql.ts";

/** How long to wait before the next try, when the database is away. */
const pauseMs = 500;

/**
 * Retries for as long as a lease may still be ours, unless the process stops: results that endpoints gave must not be
 * lost and sent again, and a webhook that is not released keeps others waiting.
 */
export async function retry<T>(work: () => Promise<T>, isStopping = () => false): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (isStopping() || performance.now() - startedAt > leaseSeconds * 1000) throw error;
      await delay(pauseMs);
    }
  }
}
