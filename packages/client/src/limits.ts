/** How long a call may take. */
export interface Limits {
  /** For the response of an attempt to begin. */
  timeoutMs: number;
  /** For each next part of a response. */
  bodyTimeoutMs: number;
  /** For all attempts and the waits between them. */
  deadlineMs: number;
  /** The time until the deadline; 0 or less once it has passed. */
  leftMs: () => number;
  /** For these and the whole response. */
  bodyDeadlineMs: number;
  bodyLeftMs: () => number;
}

/** The limits that somebody can set. */
export type LimitOptions = { [Name in "timeoutMs" | "bodyTimeoutMs" | "deadlineMs"]?: number | undefined };

/** A name without what is often wrong in it. */
const roughly = (name: string) => name.toLowerCase().replace(/ms$/, "");

/**
 * `names` are separated by spaces, which is the shortest in a bundle. Other options may stand beside, such as those of a test registry that
 * is passed as it is.
 * @throws {TypeError} for an option that is nearly one of these, such as `baseURL`: it would have no effect.
 */
export function refuseMisspelt(options: object, names: string): void {
  const known = names.split(" ");
  for (const name of Object.keys(options)) {
    const meant = known.find((one) => roughly(one) === roughly(name));
    if (meant !== undefined && !known.includes(name))
      throw new TypeError(`There is no option ${name}. It is ${meant}.`);
  }
}

/** The longest time of a timer: 24 days. */
const longestMs = 2 ** 31 - 1;

/** A response that arrives bit by bit ends some time, also if nobody set a deadline. */
const longestBodyMs = 600_000;

/**
 * Starts the time of a call. Options of the call come before those of the client.
 * @throws {TypeError} for a time that is none.
 */
export function limit(...options: LimitOptions[]): Limits {
  const startedMs = performance.now();
  const first = (name: keyof LimitOptions) => {
    const ms = options.map((each) => each[name]).find((ms) => ms !== undefined);
    if (ms !== undefined && !(ms >= 0))
      throw new TypeError(`${name} must be a number of milliseconds, not ${ms}.`);
    return ms;
  };
  const timeoutMs = Math.min(first("timeoutMs") ?? 30_000, longestMs);
  const bodyTimeoutMs = Math.min(first("bodyTimeoutMs") ?? timeoutMs, longestMs);
  const given = first("deadlineMs");
  const deadlineMs = Math.min(given ?? Math.max(60_000, timeoutMs), longestMs);
  const bodyDeadlineMs = given === undefined ? Math.max(longestBodyMs, deadlineMs) : deadlineMs;
  const until = (ms: number) => () => startedMs + ms - performance.now();
  return {
    timeoutMs,
    bodyTimeoutMs,
    deadlineMs,
    leftMs: until(deadlineMs),
    bodyDeadlineMs,
    bodyLeftMs: until(bodyDeadlineMs),
  };
}
