/** How long a call may take. */
export interface Limits {
  /** For each attempt. */
  timeoutMs: number;
  /** For all attempts and the waits between them. */
  deadlineMs: number;
  /** What is left of the deadline; at most 0 once it has passed. */
  leftMs: () => number;
}

/** Timers hold no more; it is 24 days. */
const longestMs = 2 ** 31 - 1;

/** Begins to count: what the call says goes before what the client says. */
export function limit(
  ...options: { timeoutMs?: number | undefined; deadlineMs?: number | undefined }[]
): Limits {
  const startedMs = performance.now();
  const said = (name: "timeoutMs" | "deadlineMs") =>
    options.map((each) => each[name]).find((ms) => ms !== undefined);
  const timeoutMs = Math.min(said("timeoutMs") ?? 30_000, longestMs);
  const deadlineMs = Math.min(said("deadlineMs") ?? Math.max(60_000, timeoutMs), longestMs);
  return { timeoutMs, deadlineMs, leftMs: () => startedMs + deadlineMs - performance.now() };
}
