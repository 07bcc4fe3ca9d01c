import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type LockedPrompt, type Lockfile, readLockfile } from "@promptreg/client";
import { parseRef, type PromptAddress } from "@promptreg/core/refs";
import { folderAbove } from "../disk/look-upward.ts";
import { InputError } from "../errors.ts";
import { unreadable } from "../terminal/read-input.ts";
import { isLockedPrompt } from "./shape.ts";
import { sidesOf } from "./sides.ts";

/** What is locked, by address. */
export type Prompts = Readonly<Record<string, LockedPrompt>>;

/** A lockfile as it was found. */
export interface Found {
  /** Empty where there is no file yet. */
  text: string;
  prompts: Prompts;
  /** Addresses for which an unfinished merge has two versions. */
  conflicting: string[];
}

/** The address as lockfiles have it: with `@latest` where nothing is said. */
export const keyOf = ({ owner, slug, version, label = "latest" }: PromptAddress): string =>
  `${owner}/${slug}@${version ?? label}`;

/** Where the lockfile is: as it is named, or in this folder or the nearest above that has one. */
export const lockfileAt = (named: string | undefined): string => {
  const name = "promptreg.lock";
  return named ?? join(folderAbove(name) ?? ".", name);
};

/** Reads a lockfile that must be there, and in order. */
export async function readLocked(file: string): Promise<Prompts> {
  const text = await readText(file);
  if (text === "") {
    throw new InputError(`${file} does not exist. \`promptreg lock owner/slug@production\` creates it.`);
  }
  if (sidesOf(text) === undefined) return parse(file, text);
  throw new InputError(`${file} has an unfinished merge. \`promptreg lock\` with the addresses resolves it.`);
}

/** Reads a lockfile that is to be written: there may be none yet, and a merge may have been left to be settled. */
export async function findLocked(file: string): Promise<Found> {
  const text = await readText(file);
  if (text === "") return { text, prompts: {}, conflicting: [] };
  const sides = sidesOf(text);
  if (sides === undefined) return { text, prompts: parse(file, text), conflicting: [] };
  const [ours, theirs] = sides.map((side) => parse(file, side)) as [Prompts, Prompts];
  const conflicting = Object.keys(ours).filter(
    (ref) => theirs[ref] !== undefined && !isSame(ours[ref], theirs[ref]),
  );
  return { text, prompts: { ...theirs, ...ours }, conflicting };
}

/**
 * Prints a lockfile: the same one always in the same bytes. The addresses are sorted. In each prompt the number of the
 * version comes first and the files last, because git takes changes that touch each other for a conflict: the last
 * lines of a prompt, which stay, then stand between a change of it and the next prompt.
 */
export function printLocked(prompts: Prompts): string {
  const sorted = Object.entries(prompts).sort(([a], [b]) => (a < b ? -1 : 1));
  const lockfile: Lockfile = {
    lockfileVersion: 1,
    prompts: Object.fromEntries(sorted.map(([ref, locked]) => [ref, inOrder(locked)])),
  };
  return `${JSON.stringify(lockfile, null, 2)}\n`;
}

/** Values inside of `config` and of the variables stay in their order: what is sent to a model depends on it. */
const inOrder = ({ version, yanked, contentHash, entry, variables, config, files }: LockedPrompt) => ({
  version,
  ...(yanked && { yanked }),
  contentHash,
  entry,
  variables,
  config,
  files: files.map(({ path, mode, encoding, content }) => ({
    path,
    ...(mode === "100755" && { mode }),
    encoding,
    content,
  })),
});

/** Whether two are the same to the last byte, yanks included. */
export const isSame = (a: LockedPrompt | undefined, b: LockedPrompt | undefined): boolean =>
  JSON.stringify(a && inOrder(a)) === JSON.stringify(b && inOrder(b));

/** Line ends are git's affair: on Windows it may write others. */
export const isSameText = (a: string, b: string): boolean =>
  a.replaceAll("\r\n", "\n") === b.replaceAll("\r\n", "\n");

/** Empty where there is no file. */
export const readText = (file: string): Promise<string> =>
  readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw unreadable(file, error);
  });

function parse(file: string, text: string): Prompts {
  let prompts: Prompts;
  try {
    ({ prompts } = readLockfile(text));
  } catch (error) {
    throw new InputError(`${file} cannot be used. ${(error as Error).message}`);
  }
  const details = Object.entries(prompts).flatMap(([ref, locked]) =>
    isKey(ref) && isLockedPrompt(locked)
      ? []
      : [{ path: ref, message: "is not a locked prompt. Remove it and lock it again." }],
  );
  if (details.length > 0) throw new InputError(`${file} is damaged and cannot be used.`, details);
  return prompts;
}

function isKey(ref: string): boolean {
  try {
    return keyOf(parseRef(ref)) === ref;
  } catch {
    return false;
  }
}
