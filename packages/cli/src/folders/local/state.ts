import { join } from "node:path";
import type { Metadata } from "../../prompts/index.ts";
import { faultOf, InputError } from "../../errors.ts";
import { readStateFile, stateFolder, type StatePlace, writeStateFile } from "./state-file.ts";
import { isObject } from "../../terminal/objects.ts";

/** What was pulled into a folder, or pushed from it, last. */
export interface State {
  /** The prompt's; an address can be given to another one's copy, an id never. */
  id: string;
  ref: string;
  version: number;
  /** An older version was asked for: git, which may know newer ones, has no say. */
  isOld?: true;
  /** The versions from which pulls came to it since the last push, the oldest first: git may throw away what they wrote. */
  from?: number[];
  /** Of a fork: the version of its source that was merged into it last, and those before it as above. */
  source?: { version: number; from?: number[] };
  /** What both agreed on last, without what nothing tells of. */
  about: Partial<Metadata>;
}

const fileName = "state.json";

/** Reads what was pulled or pushed here last at a registry; null where there is nothing, or nothing that can be used. */
export async function readState(place: StatePlace, origin: string): Promise<State | null> {
  const states = await readStateFile(place, fileName);
  const state = Object.hasOwn(states, origin) ? states[origin] : undefined;
  return isState(state) ? state : null;
}

/** What was pulled or pushed here last, if it was this prompt, and not one that had its address before. */
export async function stateOf(
  place: StatePlace,
  origin: string,
  { id }: { id: string },
): Promise<State | null> {
  const state = await readState(place, origin);
  return state?.id === id ? state : null;
}

/** The versions from which pulls came to a version, with the one that it began from now. */
export const versionsBefore = (from: readonly number[] = [], begin: number, version: number): number[] =>
  [...from.filter((n) => n < begin), begin].filter((n) => n < version);

/**
 * Notes what was pulled or pushed; nothing is written where that is known.
 * @throws {InputError} that says it in a sentence: without its state a folder works as before, so that is but a note.
 */
export async function writeState(place: StatePlace, origin: string, state: State): Promise<void> {
  const states = await readStateFile(place, fileName);
  if (Object.hasOwn(states, origin) && JSON.stringify(states[origin]) === JSON.stringify(state)) return;
  const { folder } = place;
  await writeStateFile(folder, fileName, { ...states, [origin]: state }).catch((error: Error) => {
    throw new InputError(
      `${join(folder, stateFolder, fileName)} cannot be written: ${faultOf(error)}. The next push may not know which version the files are based on.`,
    );
  });
}

const isNumber = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0;

const isListOf = (value: unknown, fits: (item: unknown) => boolean) =>
  Array.isArray(value) && value.every(fits);

function isState(value: unknown): value is State {
  if (!isObject(value)) return false;
  const { id, ref, version, about, from, source = { version: 1 } } = value;
  return (
    typeof id === "string" &&
    typeof ref === "string" &&
    isNumber(version) &&
    isObject(about) &&
    isListOf(about["tags"] ?? [], (tag) => typeof tag === "string") &&
    isListOf(from ?? [], isNumber) &&
    isObject(source) &&
    isNumber(source["version"]) &&
    isListOf(source["from"] ?? [], isNumber)
  );
}
