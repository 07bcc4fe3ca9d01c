import type { Sql } from "../database/sql.ts";
import { shiftClock, stopClock } from "./world.sql.ts";

/** The time by which the server decides everything; the process's own is not touched. */
export interface Clock {
  /**
   * Lets the time stand still at an instant.
   * @throws {RangeError} for text that is no date.
   */
  set(at: string | Date): Promise<void>;
  /** Turns the time on by so many ms; where it ran, it runs on from there. */
  advance(ms: number): Promise<void>;
}

/** The clock of a database, which runs with the real time at first. */
export function clockOf(sql: Sql): Clock {
  let stoppedAtMs: number | null = null;
  let aheadMs = 0;
  return {
    async set(at) {
      stoppedAtMs = new Date(at).getTime();
      await stopClock(sql, new Date(stoppedAtMs).toISOString());
    },
    async advance(ms) {
      if (!Number.isFinite(ms)) throw new RangeError(`The clock is advanced by ms, and not by ${ms}.`);
      if (stoppedAtMs !== null) return this.set(new Date(stoppedAtMs + ms));
      aheadMs += ms;
      await shiftClock(sql, aheadMs);
    },
  };
}
