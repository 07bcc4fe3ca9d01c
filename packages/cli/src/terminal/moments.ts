/** How many milliseconds a unit of time has, by its letter. */
export const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** How long ago a moment was, as people say it; after a month, its day. One that is to come as it is in UTC. */
export function ago(moment: string): string {
  const ms = Date.now() - Date.parse(moment);
  // The clock of the registry may be ahead of this one.
  if (ms < -units.m) return `${moment.slice(0, 16).replace("T", " ")} UTC`;
  if (ms < units.m) return "just now";
  if (ms > 30 * units.d) return moment.slice(0, 10);
  const [name, size] =
    ms < units.h ? ["minute", units.m] : ms < units.d ? ["hour", units.h] : ["day", units.d];
  const count = Math.floor(ms / size);
  return `${count} ${name}${count === 1 ? "" : "s"} ago`;
}
