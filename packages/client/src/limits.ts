/** How long a call may take. */
export interface Limits {
  /** For each attempt. */
  timeoutMs: number;
  /** For all attempts and the waits between them. */
  deadlineMs: number;
  /** The time until the deadline; 0 or less once it has passed. */
  leftMs: () => number;
}

/** The longest time of a timer: 24 days. */
const longestMs = 2 ** 31 - 1;

/** Starts the time of a call. Options of the call come before those of the client. */
export function limit(
  ...options: { timeoutMs?: number | undefined; deadlineMs?: number | undefined }[]
): Limits {
  const startedMs = performance.now();
  const first = (name: "timeoutMs" | "deadlineMs") =>
    options.map((each) => each[name]).find((ms) => ms !== undefined);
  const timeoutMs = Math.min(first("timeoutMs") ?? 30_000, longestMs);
  const deadlineMs = Math.min(first("deadlineMs") ?? Math.max(60_000, timeoutMs), longestMs);
  return { timeoutMs, deadlineMs, leftMs: () => startedMs + deadlineMs - performance.now() };
}
