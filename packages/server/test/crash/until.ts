import { setTimeout as delay } from "node:timers/promises";
import { debuglog } from "node:util";

const patienceMs = 240_000;

const log = debuglog("crash");

/** Says what the proof is at, under NODE_DEBUG=crash. */
export const trace = (what: string, ...about: unknown[]) =>
  log(`%s s: ${what}`, (performance.now() / 1_000).toFixed(1), ...about);

/** Waits until something holds. Time is no assertion here: the limit only gives what would never hold a name. */
export async function until(what: string, holds: () => unknown): Promise<void> {
  const startedAt = performance.now();
  while (!(await holds())) {
    if (performance.now() > startedAt + patienceMs) throw new Error(`waited in vain for ${what}`);
    await delay(20);
  }
  trace("%s after %d ms", what, Math.round(performance.now() - startedAt));
}
