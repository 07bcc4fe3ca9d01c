import { InvalidArgumentError } from "commander";

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Reads a moment: a time with its offset, a day from its start in UTC, or how long ago it was; gives it in UTC. */
export function momentOption(text: string): string {
  const [, amount, unit = "s"] = /^(\d{1,7})([smhdw])$/.exec(text) ?? [];
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  const at =
    amount === undefined
      ? Date.parse(isTime && isDay(text.slice(0, 10)) ? text : "")
      : Date.now() - Number(amount) * units[unit as keyof typeof units];
  if (at >= 0) return new Date(at).toISOString();
  throw new InvalidArgumentError(
    "Write a time with its offset, such as 2026-11-20T09:30:00Z, a day, or how long ago: 90s, 15m, 2h, 3d, 1w.",
  );
}

/** A 30th of February would be read as a day in March. */
function isDay(day: string): boolean {
  const ms = Date.parse(day);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}

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
