/** How long a call may take. */
export interface Limits {
  /** For the response of an attempt to begin. */
  timeoutMs: number;
  /** For each next part of a response. */
  bodyTimeoutMs: number;
  /** For all attempts and the waits between them. */
  deadlineMs: number;
  /** Whether somebody set the deadline: then it ends a response too. */
  isDeadlineSet: boolean;
  /** The time until the deadline; 0 or less once it has passed. */
  leftMs: () => number;
}

/** The limits that somebody can set. */
export type LimitOptions = { [Name in "timeoutMs" | "bodyTimeoutMs" | "deadlineMs"]?: number | undefined };

/** The longest time of a timer: 24 days. */
const longestMs = 2 ** 31 - 1;

/** Starts the time of a call. Options of the call come before those of the client. */
export function limit(...options: LimitOptions[]): Limits {
  const startedMs = performance.now();
  const first = (name: keyof LimitOptions) =>
    options.map((each) => each[name]).find((ms) => ms !== undefined);
  const timeoutMs = Math.min(first("timeoutMs") ?? 30_000, longestMs);
  const bodyTimeoutMs = Math.min(first("bodyTimeoutMs") ?? timeoutMs, longestMs);
  const given = first("deadlineMs");
  const deadlineMs = Math.min(given ?? Math.max(60_000, timeoutMs), longestMs);
  const leftMs = () => startedMs + deadlineMs - performance.now();
  return { timeoutMs, bodyTimeoutMs, deadlineMs, isDeadlineSet: given !== undefined, leftMs };
}
