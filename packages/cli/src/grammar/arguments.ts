import type { CommentTarget } from "@promptreg/core";
import { parseRange, parseRef, type PromptAddress, type VersionName } from "@promptreg/core/refs";
import { InvalidArgumentError, Option } from "commander";
import { UsageError } from "../errors.ts";
import { units } from "../terminal/moments.ts";
import { kinds } from "./kinds.ts";

/** Readers of arguments and options; what they refuse ends the command as a mistake in its use. */

/** `owner/slug`, with `@version` or `@label` or neither. */
export function promptArgument(text: string): PromptAddress {
  try {
    return parseRef(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

/** A prompt where other things can be named, too. */
function promptAmong(text: string, forms: string): PromptAddress {
  try {
    return parseRef(text);
  } catch {
    throw new InvalidArgumentError(`Write ${forms}, in lower case.`);
  }
}

/** The forms of what is commented on. */
export const discussed =
  "owner/slug, owner/slug@3, 'owner/slug!12' for a change request, make:slug, or post:pst_…";

/** A make or a post, by its kind and its address. */
function otherArgument(text: string): { type: "make" | "post"; id: string } | null {
  if (text.startsWith("make:")) return { type: "make", id: slugArgument(text.slice("make:".length)) };
  if (text.startsWith("pst_")) return { type: "post", id: postArgument(text) };
  if (text.startsWith("post:")) return { type: "post", id: postArgument(text.slice("post:".length)) };
  return null;
}

/** The id of a post. */
export function postArgument(text: string): string {
  if (/^pst_[0-9a-hjkmnp-tv-z]{26}$/.test(text)) return text;
  throw new InvalidArgumentError(
    "Write the id of a post: pst_ and 26 letters and digits. `promptreg post list` shows yours.",
  );
}

/** A prompt, one of its versions, a change request of it, a make, or a post, as a target of requests. */
export function discussedArgument(text: string): CommentTarget {
  const other = otherArgument(text);
  if (other !== null) return other;
  const [ref = "", n] = text.split("!");
  const { owner, slug, version, label } = promptAmong(ref, discussed);
  if (label !== undefined || (n !== undefined && (version !== undefined || !/^[1-9]\d{0,8}$/.test(n))))
    throw new InvalidArgumentError(`Write ${discussed}.`);
  if (n !== undefined) return { type: "change_request", id: `${owner}/${slug}!${n}` };
  return version === undefined
    ? { type: "prompt", id: `${owner}/${slug}` }
    : { type: "version", id: `${owner}/${slug}@${version}` };
}

/** Gathers the addresses of several prompts. */
export const promptArguments = (text: string, earlier: PromptAddress[] = []): PromptAddress[] => [
  ...earlier,
  promptArgument(text),
];

/** A collection, whose prompts are meant. */
export interface CollectionName {
  collection: string;
}
/** Prompts as a command names them: one by one, or a whole collection. */
export type PromptSource = PromptAddress | CollectionName;

/** Gathers the addresses of several prompts, and `collection:<id>` for all prompts of a collection. */
export const sourceArguments = (text: string, earlier: PromptSource[] = []): PromptSource[] => [
  ...earlier,
  text.startsWith("collection:")
    ? { collection: collectionArgument(text.slice("collection:".length)) }
    : promptArgument(text),
];

/** What can be collected: `owner/slug`, `make:slug`, or `post:pst_…`. */
export type Collected = { type: "prompt" | "make" | "post"; id: string };

/** Gathers what is collected. */
export const collectedArguments = (text: string, earlier: Collected[] = []): Collected[] => [
  ...earlier,
  collectedArgument(text),
];

export const collectedArgument = (text: string): Collected =>
  otherArgument(text) ?? bareAmong(text, "owner/slug, make:slug or post:pst_…");

/** What can be entered in a contest. */
export type Work = Collected & { type: "prompt" | "make" };

export function workArgument(text: string): Work {
  const forms = "owner/slug or make:slug";
  if (/^(pst_|post:)/.test(text)) throw new InvalidArgumentError(`Posts do not compete. Write ${forms}.`);
  return text.startsWith("make:")
    ? { type: "make", id: slugArgument(text.slice("make:".length)) }
    : bareAmong(text, forms);
}

/** A prompt without a version where other things can be named, too. */
function bareAmong(text: string, forms: string): { type: "prompt"; id: string } {
  const { owner, slug, version, label } = promptAmong(text, forms);
  if (version !== undefined || label !== undefined)
    throw new InvalidArgumentError(`Write ${forms}, without a version or label.`);
  return { type: "prompt", id: `${owner}/${slug}` };
}

/** The id of a collection. */
export function collectionArgument(text: string): string {
  if (/^col_[0-9a-hjkmnp-tv-z]{26}$/.test(text)) return text;
  throw new InvalidArgumentError(
    "Write the id of a collection: col_ and 26 letters and digits. `promptreg collection list` shows yours.",
  );
}

/** The id of media. */
export function mediaArgument(text: string): string {
  if (/^med_[0-9a-hjkmnp-tv-z]{26}$/.test(text)) return text;
  throw new InvalidArgumentError("Write the id of media: med_ and 26 letters and digits.");
}

/** `owner/slug` alone, where the version is given otherwise. */
export function bareArgument(text: string): PromptAddress {
  const address = promptArgument(text);
  if (address.version !== undefined || address.label !== undefined) {
    throw new InvalidArgumentError("Write owner/slug, without a version or label.");
  }
  return address;
}

/** Gathers the addresses of several prompts, without versions. */
export const bareArguments = (text: string, earlier: PromptAddress[] = []): PromptAddress[] => [
  ...earlier,
  bareArgument(text),
];

/** A prompt's name below its account. */
export function slugArgument(text: string): string {
  if (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(text) && text.length <= 64) return text;
  throw new InvalidArgumentError("Write up to 64 letters, digits and hyphens, such as support-reply.");
}

/** `owner/slug@version` or `owner/slug@label`. */
export function pinnedArgument(text: string): PromptAddress {
  const address = promptArgument(text);
  if (address.version === undefined && address.label === undefined) {
    throw new InvalidArgumentError("Add a version or label: owner/slug@3 or owner/slug@production.");
  }
  return address;
}

/** A prompt at a version. */
export type VersionAddress = Required<Omit<PromptAddress, "label">>;

/** The version that an address names, or the number behind it: `owner/slug@3`, `owner/slug 3`. */
export function versionAt({ owner, slug, version, label }: PromptAddress, n = version): VersionAddress {
  if (n === undefined || label !== undefined || (version !== undefined && version !== n))
    throw new UsageError("Write one version: owner/slug@3.");
  return { owner, slug, version: n };
}

/** How many of something. */
export function countOption(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("Write a number, such as 20.");
  return Number(text);
}

/** The number of a version. */
export function versionArgument(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("Write a version number, such as 3.");
  return Number(text);
}

/** A version by its number, or by a label that points to it. */
export function versionNameArgument(text: string): VersionName {
  try {
    return parseRange(`${text}..1`).from;
  } catch {
    throw new InvalidArgumentError("Write a version number or a label, such as 3 or staging.");
  }
}

/** The name of a label that can be moved, which those that the registry keeps for itself cannot. */
export function labelArgument(text: string): string {
  if (text === "latest")
    throw new InvalidArgumentError("latest always points at the newest version. It cannot be moved.");
  if (text === "draft") throw new InvalidArgumentError("draft is reserved. Choose another name.");
  if (/^[a-z][a-z0-9-]*([._][a-z0-9-]+)*$/.test(text) && text.length <= 64) return text;
  throw new InvalidArgumentError(
    "A label begins with a lower-case letter. Letters, digits, hyphens and single . or _ follow, 64 characters at most.",
  );
}

/** Where a label must be: a version's number, or `none` where it must not exist; commander has no null. */
export const expectOption = (text: string): number | "none" =>
  text === "none" ? text : versionArgument(text);

/** A run by its id, or the latest run of a version: by its number, or by a label that points to it. */
export type Baseline = { run: string } | VersionName;

/** `production`, `version:3` or `run:<id>`. */
export function baselineOption(text: string): Baseline {
  const [, kind, value = ""] = /^(run|version):(.*)$/s.exec(text) ?? [];
  if (kind === "run") return { run: runArgument(value) };
  if (kind === "version") return { version: versionArgument(value) };
  try {
    const name = versionNameArgument(text);
    if ("label" in name) return name;
  } catch {}
  throw new InvalidArgumentError(
    "Write a label, version:<number> or run:<id>, such as production or version:3.",
  );
}

/** A dataset by its name or id, with `@2` at a revision. */
export function datasetOption(text: string): { name: string; revision?: number } {
  const [, name = text, revision] = /^(.+)@([1-9]\d{0,8})$/s.exec(text) ?? [];
  return { name, ...(revision !== undefined && { revision: Number(revision) }) };
}

/** The id of an eval run. */
export function runArgument(text: string): string {
  if (/^run_[0-9a-hjkmnp-tv-z]{26}$/.test(text)) return text;
  throw new InvalidArgumentError("Write the id of a run: run_ and 26 letters and digits.");
}

/** A run by its id, or the latest run of a version of a prompt. */
export type RunName = { run: string } | PromptAddress;

/** `run_…`, or `owner/slug@3` or `owner/slug@production`. */
export const runNameArgument = (text: string): RunName =>
  text.startsWith("run_") ? { run: runArgument(text) } : pinnedArgument(text);

/** The version that is to be replaced, or whichever is the newest. */
export const ontoOption = (text: string): number | "latest" =>
  text === "latest" ? text : versionArgument(text);

/** A share from 0 to 1. */
export function shareOption(text: string): number {
  const share = text.trim() === "" ? Number.NaN : Number(text);
  if (!(share >= 0 && share <= 1)) throw new InvalidArgumentError("Write a number from 0 to 1, such as 0.8.");
  return share;
}

/** Gathers an option that can be given several times. */
export const collect = (text: string, earlier: string[] = []): string[] => [...earlier, text];

/** `--kind` of a list, which takes several. */
export const kindsOption = (): Option =>
  new Option("--kind <kind>", "only of this kind; can be repeated").choices(kinds).argParser(collectKinds);

/** In place of the reader of `choices`, which keeps the last one alone. */
function collectKinds(text: string, earlier?: string[]): string[] {
  if (kinds.includes(text)) return collect(text, earlier);
  throw new InvalidArgumentError(`Allowed choices are ${kinds.join(", ")}.`);
}

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
    "Write a time with its offset (2026-11-20T09:30:00Z), a day (2026-11-20), or an age: 90s, 15m, 2h, 3d, 1w.",
  );
}

/** A day in UTC. */
export function dayOption(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text) && isDay(text)) return text;
  throw new InvalidArgumentError("Write a day: 2026-11-20.");
}

/** A 30th of February would be read as a day in March. */
function isDay(day: string): boolean {
  const ms = Date.parse(day);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day);
}
