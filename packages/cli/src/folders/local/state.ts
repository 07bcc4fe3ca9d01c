import { randomUUID } from "node:crypto";
import { lstat, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Metadata } from "../../prompts/index.ts";
import { InputError } from "../../errors.ts";

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
  /** What both agreed on last, without what nothing tells of. */
  about: Partial<Metadata>;
}

/** The folder of the state: it lies in the prompt's folder, moves with it, and hides itself from git. */
export const stateFolder = ".promptreg-state";
const stateFile = (folder: string) => join(folder, stateFolder, "state.json");

/** Far more than a state needs, with several registries. */
const maxBytes = 1024 * 1024;

/** A prompt's folder, and whether its state counts: one that came with a commit tells of another checkout, or lies. */
export interface StatePlace {
  folder: string;
  isStateTrusted: boolean;
}

/** Reads what was pulled or pushed here last at a registry; null where there is nothing, or nothing that can be used. */
export async function readState(place: StatePlace, origin: string): Promise<State | null> {
  const states = await readStates(place);
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

/**
 * Notes what was pulled or pushed; nothing is written where that is known.
 * @throws {InputError} that says it in a sentence: without its state a folder works as before, so that is but a note.
 */
export async function writeState(place: StatePlace, origin: string, state: State): Promise<void> {
  const states = await readStates(place);
  if (Object.hasOwn(states, origin) && JSON.stringify(states[origin]) === JSON.stringify(state)) return;
  const { folder } = place;
  const file = stateFile(folder);
  const draft = `${file}.${randomUUID()}`;
  try {
    await mkdir(join(folder, stateFolder), { recursive: true });
    if (!(await isOwnFolder(folder))) throw new Error("it is a link");
    await writeOnce(join(folder, stateFolder, ".gitignore"), "*\n");
    await writeFile(draft, `${JSON.stringify({ ...states, [origin]: state }, null, 2)}\n`, { flag: "wx" });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw new InputError(
      `${file} cannot be written: ${(error as Error).message}. The next push may not know which version the files are based on.`,
    );
  }
}

/** Leaves alone what is there: a link, which came with somebody's repository, would lead us to write elsewhere. */
const writeOnce = (file: string, text: string) =>
  writeFile(file, text, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });

/** So would a folder that is one. */
const isOwnFolder = async (folder: string) => (await lstat(join(folder, stateFolder))).isDirectory();

/** By origin of the registry. A file that says nothing usable counts as none: it is written anew. */
async function readStates({ folder, isStateTrusted }: StatePlace): Promise<Record<string, unknown>> {
  try {
    if (!isStateTrusted || !(await isOwnFolder(folder))) return {};
    const stat = await lstat(stateFile(folder));
    if (!stat.isFile() || stat.size > maxBytes) return {};
    const states: unknown = JSON.parse(await readFile(stateFile(folder), "utf8"));
    return isObject(states) ? states : {};
  } catch {
    return {};
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isNumber = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0;

const isListOf = (value: unknown, fits: (item: unknown) => boolean) =>
  Array.isArray(value) && value.every(fits);

function isState(value: unknown): value is State {
  if (!isObject(value)) return false;
  const { id, ref, version, about, from } = value;
  return (
    typeof id === "string" &&
    typeof ref === "string" &&
    isNumber(version) &&
    isObject(about) &&
    isListOf(about["tags"] ?? [], (tag) => typeof tag === "string") &&
    isListOf(from ?? [], isNumber)
  );
}
