import type { Logger } from "pino";

/** What waits for workers, and for how long the oldest of each has been due. */
export type Backlog = Record<
  "jobs" | "events" | "deliveries" | "media" | "purges",
  { count: number; ageSeconds: number }
>;

/** A worker that is well takes a job, or an event, within a second. */
const lateSeconds = 60;

/**
 * Logs when workers fall behind, and when they have caught up. Deliveries are no sign of that: they also wait for the receivers, one of which
 * may be slow.
 */
export function watchBacklog(log: Logger): (backlog: Backlog) => void {
  let isLate = false;
  return ({ jobs, events }) => {
    const seconds = Math.round(Math.max(jobs.ageSeconds, events.ageSeconds));
    if (seconds >= lateSeconds === isLate) return;
    isLate = !isLate;
    const waiting = { seconds, jobs: jobs.count, events: events.count };
    if (isLate) log.warn(waiting, "workers fall behind: start another one, or look for what keeps this one");
    else log.info(waiting, "workers have caught up");
  };
}
