/** How many milliseconds a unit of time has, by its letter. */
export const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

const month = 30 * units.d;
const steps = [
  ["month", month],
  ["day", units.d],
  ["hour", units.h],
  ["minute", units.m],
] as const;

/** How far away a moment is, as people say it; a month and more ago, its day. */
export function fromNow(moment: string): string {
  const ms = Date.parse(moment) - Date.now();
  if (ms <= -month) return moment.slice(0, 10);
  const [name, size] = steps.find(([, most]) => Math.abs(ms) >= most) ?? [];
  if (name === undefined) return "just now";
  // Five minutes that were set a moment ago are still five.
  const count = ms < 0 ? Math.trunc(ms / size) : Math.round(ms / size);
  return new Intl.RelativeTimeFormat("en").format(count, name);
}
