import type { Client } from "../../requests/client.ts";
import { type CheckedFile, splitLines } from "@promptreg/core/content";
import { addressOf } from "../../prompts/index.ts";
import type { Sides } from "../pull/merge-files.ts";
import { regionsOf } from "../pull/merge-text.ts";
import { readVersion } from "./read-version.ts";
import type { Place } from "./find-version.ts";
import type { LocalPrompt } from "../local/read-prompt.ts";
import type { State } from "../local/state.ts";

/** Pulls without a push in between, so many of which are looked at. */
const mostSteps = 20;

/**
 * The version at which a folder stands that was pulled: that one where something of it is still there, or the oldest of
 * those before it to which the files went back without anybody's saying so; null where they do not tell. Only whoever
 * pulled and did not push since pays for the requests.
 */
export async function versionStillThere(
  client: Client,
  { checked: ours }: Pick<LocalPrompt, "checked">,
  remote: Place,
  { version, from = [] }: Pick<State, "version" | "from">,
): Promise<number | null> {
  if (from.length === 0) return null;
  const read = (n: number) => readVersion(client, { ...addressOf(remote), version: n });
  const { files: base, version: pulled } = await read(version);
  let isBack: boolean | null = null;
  for (const n of from.slice(-mostSteps)) {
    const before = await read(n);
    if (before.version.contentHash === pulled.contentHash) continue;
    isBack = isUndone({ base, ours, theirs: before.files });
    if (isBack === true) return n;
  }
  return isBack === null ? null : version;
}

/** Whether `ours` went from `base` back to `theirs`, whatever else was changed then; null where nothing tells. */
function isUndone({ base, ours, theirs }: Sides): boolean | null {
  const signs: (boolean | null)[] = [];
  for (const path of new Set([...base, ...theirs].map((file) => file.path))) {
    const [from, here, there] = [base, ours, theirs].map((files) => files.find((file) => file.path === path));
    if (isSame(from, there)) continue;
    if (isSame(here, from)) signs.push(false);
    else if (isSame(here, there)) signs.push(true);
    else if (from && here && there) signs.push(...undoneLines(textOf(from), textOf(here), textOf(there)));
  }
  return allOf(signs);
}

/** Something that came in between and is still there was not thrown away. */
const allOf = (signs: readonly (boolean | null)[]) =>
  signs.includes(false) ? false : signs.includes(true) || null;

/** The same of each place of a text that differs. */
function undoneLines(base: string, ours: string, theirs: string): (boolean | null)[] {
  const lines = splitLines(base);
  return [...regionsOf(lines, [splitLines(ours), splitLines(theirs)])].map((region) => {
    const original = lines.slice(region.start, region.end);
    const [was, here, there] = [original, region.ours, region.theirs].map((each) => each.join(""));
    if (was === there) return null;
    if (was === here) return false;
    // What was changed beside lines that are back stands in one region with them.
    const old = region.theirs.filter((line) => !original.includes(line));
    return here === there || (old.length > 0 && old.every((line) => region.ours.includes(line))) || null;
  });
}

const isSame = (one: CheckedFile | undefined, other: CheckedFile | undefined) =>
  one?.sha256 === other?.sha256 && one?.mode === other?.mode;

const textOf = ({ encoding, bytes, sha256 }: CheckedFile) =>
  encoding === "utf8" ? Buffer.from(bytes).toString("latin1") : sha256;
