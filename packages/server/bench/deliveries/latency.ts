/** The time from just before a commit to the first byte at the receiver, event by event. */
import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "postgres";
import { type SubjectPrompt, emit } from "../../src/kernel/changes/emit.ts";
import { eventData, eventName } from "./plant.ts";
import { nowMs } from "./common.ts";
import type { Database, Receivers } from "./stage.ts";
import { isShort } from "../../../../scripts/short.ts";

/** Between two events, whether or not the one before has arrived: who waits for it would not see what piles up. */
const paceMs = 40;
/** Events that a process gets before it is timed. */
export const warmUps = isShort ? 5 : 50;
const patienceMs = 30_000;

/** Writes what is to be sent about one event, in a transaction that is committed next. */
export type Write = (sql: Sql, nth: number) => PromiseLike<unknown>;

/** Writes an event of the product's own. */
export const writeEvent =
  (prompt: SubjectPrompt, { bus }: Pick<Database, "bus">): Write =>
  (sql, nth) =>
    emit(sql, { publicUrl: "http://127.0.0.1", caller: null, bus }, eventName, { prompt }, eventData(nth));

let nextNth = 0;

/**
 * Commits events in turns, one from each side, and gives the times of each side in milliseconds, sorted. One that has
 * not arrived half a minute after the last was committed counts as if it just had.
 */
export async function timesOf(
  receivers: Receivers,
  { sides, count }: { sides: { sql: Sql; write: Write }[]; count: number },
): Promise<number[][]> {
  const waiting = new Map<number, { committedAtMs: number; times: number[] }>();
  let onArrived = () => {};
  const arrived = (nth: number, atMs: number) => {
    const event = waiting.get(nth);
    event?.times.push(atMs - event.committedAtMs);
    waiting.delete(nth);
    onArrived();
  };
  receivers.notices.on("arrived", arrived);
  const times = sides.map((): number[] => []);
  for (let round = 0; round < count; round++) {
    for (const [side, { sql, write }] of sides.entries()) {
      const nth = ++nextNth;
      const paced = delay(paceMs);
      await sql.begin(async (tx) => {
        await write(tx as unknown as Sql, nth);
        waiting.set(nth, { committedAtMs: nowMs(), times: times[side]! });
      });
      await paced;
    }
  }
  const empty = new Promise<void>((resolve) => {
    onArrived = () => waiting.size === 0 && resolve();
    onArrived();
  });
  const patience = new AbortController();
  await Promise.race([empty, delay(patienceMs, undefined, { signal: patience.signal }).catch(() => {})]);
  patience.abort();
  receivers.notices.off("arrived", arrived);
  for (const { committedAtMs, times } of waiting.values()) times.push(nowMs() - committedAtMs);
  return times.map((each) => each.sort((a, b) => a - b));
}

/** The value that so many of a hundred do not exceed. */
export const percentile = (sorted: number[], share: number) =>
  sorted[Math.ceil((sorted.length * share) / 100) - 1] ?? Number.NaN;
