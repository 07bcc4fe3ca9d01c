/** The time by which a registry decides everything; the process's own is not touched. */
export interface Clock {
  /**
   * Lets the time stand still at an instant.
   * @throws {RangeError} for text that is no date.
   */
  set(at: string | Date): Promise<void>;
  /** Turns the time on by so many ms; where it ran, it runs on from there. */
  advance(ms: number): Promise<void>;
}

/** The clock of a registry for tests, which a test can turn. */
export interface RegistryClock extends Clock {
  nowMs(): number;
}

// The process's own, also where a test puts another one in its place later.
const { now } = Date;

/** A clock that runs with the real time at first. */
export function runClock(): RegistryClock {
  let stoppedAtMs: number | null = null;
  let aheadMs = 0;
  return {
    nowMs: () => stoppedAtMs ?? now() + aheadMs,
    async set(at) {
      const ms = new Date(at).getTime();
      if (Number.isNaN(ms)) throw new RangeError(`"${String(at)}" is no date.`);
      stoppedAtMs = ms;
    },
    async advance(ms) {
      if (!Number.isFinite(ms)) throw new RangeError(`The clock is advanced by ms, and not by ${ms}.`);
      if (stoppedAtMs === null) aheadMs += ms;
      else stoppedAtMs += ms;
    },
  };
}
