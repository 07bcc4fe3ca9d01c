import { InvalidArgumentError } from "commander";

const units = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Reads a moment of the past: a time with its offset, a day in UTC, or how long ago it was; gives it in UTC. */
export function momentOption(text: string): string {
  const [, amount, unit] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  if (amount !== undefined)
    return new Date(Date.now() - Number(amount) * units[unit as keyof typeof units]).toISOString();
  const isMoment = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  const at = new Date(text);
  if (isMoment && !Number.isNaN(at.getTime()) && isDay(text.slice(0, 10))) return at.toISOString();
  throw new InvalidArgumentError(
    "Write a time with its offset, such as 2026-11-20T09:30:00Z, a day, or how long ago: 90m, 2h, 3d, 1w.",
  );
}

/** A 30th of February would be read as a day in March. */
const isDay = (day: string) => new Date(day).toISOString().startsWith(day);

/** How long ago a moment was, as people say it; after a month, its day. */
export function ago(moment: string): string {
  const ms = Date.now() - Date.parse(moment);
  if (ms < units.m) return "just now";
  if (ms > 30 * units.d) return moment.slice(0, 10);
  const [name, size] =
    ms < units.h ? ["minute", units.m] : ms < units.d ? ["hour", units.h] : ["day", units.d];
  const count = Math.floor(ms / size);
  return `${count} ${name}${count === 1 ? "" : "s"} ago`;
}
