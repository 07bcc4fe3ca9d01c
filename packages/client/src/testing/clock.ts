/** The clock of a registry. The clock of the process does not change. */
export interface Clock {
  /**
   * Stops the clock at a time.
   * @throws {RangeError} if the text is not a date.
   */
  set(at: string | Date): Promise<void>;
  /** Moves the clock forward. A running clock continues from there. */
  advance(ms: number): Promise<void>;
}

/** The clock of a registry for tests. */
export interface RegistryClock extends Clock {
  nowMs(): number;
}

// The real one, also if a test replaces it later.
const { now } = Date;

/** Creates a clock that at first shows the real time. */
export function runClock(): RegistryClock {
  let stoppedAtMs: number | null = null;
  let aheadMs = 0;
  return {
    nowMs: () => stoppedAtMs ?? now() + aheadMs,
    async set(at) {
      const ms = new Date(at).getTime();
      if (Number.isNaN(ms)) throw new RangeError(`"${String(at)}" is not a date.`);
      stoppedAtMs = ms;
    },
    async advance(ms) {
      if (!Number.isFinite(ms))
        throw new RangeError(`The clock cannot be advanced by ${ms}. Give milliseconds.`);
      if (stoppedAtMs === null) aheadMs += ms;
      else stoppedAtMs += ms;
    },
  };
}
