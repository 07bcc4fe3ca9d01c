import { parseRange, parseRef, type PromptAddress } from "@promptreg/core/refs";
import { InvalidArgumentError } from "commander";

/** Readers of arguments and options; what they refuse ends the command as a mistake in its use. */

/** `owner/slug`, with `@version` or `@label` or neither. */
export function promptArgument(text: string): PromptAddress {
  try {
    return parseRef(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

/** `owner/slug` alone, where the version is given otherwise. */
export function bareArgument(text: string): PromptAddress {
  const address = promptArgument(text);
  if (address.version !== undefined || address.label !== undefined) {
    throw new InvalidArgumentError("Write owner/slug, without a version or a label.");
  }
  return address;
}

/** `owner/slug@version` or `owner/slug@label`. */
export function pinnedArgument(text: string): PromptAddress {
  const address = promptArgument(text);
  if (address.version === undefined && address.label === undefined) {
    throw new InvalidArgumentError("Say which version: owner/slug@3 or owner/slug@production.");
  }
  return address;
}

/** The number of a version. */
export function versionArgument(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("Write a version's number, such as 3.");
  return Number(text);
}

/** Where a label must be: a version's number, or `none` where it must not exist; commander has no null. */
export const expectOption = (text: string): number | "none" =>
  text === "none" ? text : versionArgument(text);

/** Two versions, each a number or a label, as the server takes them: `1..2`, `production..latest`. */
export function rangeArgument(text: string): string {
  try {
    parseRange(text);
    return text;
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

/** A share from 0 to 1. */
export function shareOption(text: string): number {
  const share = text.trim() === "" ? Number.NaN : Number(text);
  if (!(share >= 0 && share <= 1)) throw new InvalidArgumentError("Write a number from 0 to 1, such as 0.8.");
  return share;
}

const unitsMs: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** A moment, as ISO 8601 in UTC: a time with its offset, a day (from its start in UTC), or how long ago, such as `2h`. */
export function timeArgument(text: string, now: number = Date.now()): string {
  const [, count, unit = ""] = /^(\d{1,7})([smhdw])$/.exec(text) ?? [];
  const isTime = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const ms = count === undefined ? Date.parse(text) : now - Number(count) * (unitsMs[unit] ?? 0);
  const isMoment = isTime ? isRealDay(text) : count !== undefined;
  if (!isMoment || !(ms >= 0)) {
    throw new InvalidArgumentError(
      "Write a time with its offset, such as 2026-11-20T09:30:00Z, a day, or how long ago: 90s, 15m, 2h, 3d.",
    );
  }
  return new Date(ms).toISOString();
}

/** JavaScript reads the 31st of February as a day of March. */
const isRealDay = (text: string): boolean => {
  const day = text.slice(0, 10);
  const ms = Date.parse(day);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
};

/** Gathers an option that can be given several times. */
export const collect = (text: string, earlier: string[] = []): string[] => [...earlier, text];
