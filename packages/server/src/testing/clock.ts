import type { Sql } from "../database/sql.ts";
import { shiftClock, stopClock } from "./world.sql.ts";

/** The clock of the server. The clock of the process does not change. */
export interface Clock {
  /**
   * Stops the clock at a time.
   * @throws {RangeError} if the text is not a date.
   */
  set(at: string | Date): Promise<void>;
  /** Moves the clock forward. A running clock continues from there. */
  advance(ms: number): Promise<void>;
}

/** The clock of a database. At first it shows the real time. */
export function clockOf(sql: Sql): Clock {
  let stoppedAtMs: number | null = null;
  let aheadMs = 0;
  return {
    async set(at) {
      stoppedAtMs = new Date(at).getTime();
      await stopClock(sql, new Date(stoppedAtMs).toISOString());
    },
    async advance(ms) {
      if (!Number.isFinite(ms))
        throw new RangeError(`The clock cannot be advanced by ${ms}. Give milliseconds.`);
      if (stoppedAtMs !== null) return this.set(new Date(stoppedAtMs + ms));
      aheadMs += ms;
      await shiftClock(sql, aheadMs);
    },
  };
}
