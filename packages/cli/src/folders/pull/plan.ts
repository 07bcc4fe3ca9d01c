import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Prompt } from "@promptreg/client";
import type { Client } from "../../requests/client.ts";
import { type CheckedFile, contentHash } from "@promptreg/core/content";
import { InputError } from "../../errors.ts";
import { addressOf } from "../../prompts/index.ts";
import { findBase } from "../compare/base.ts";
import type { Reading } from "../local/read-folder.ts";
import { manifestName } from "../local/manifest.ts";
import { refuseMarks } from "../local/marks.ts";
import { type LocalPrompt, readPrompt } from "../local/read-prompt.ts";
import { lookUp } from "../compare/remote.ts";
import { readState } from "../local/state.ts";
import { unreadable } from "../../terminal/read-input.ts";
import { type Conflict, mergeFiles } from "./merge-files.ts";
import { type PulledPrompt, readVersion } from "../compare/read-version.ts";
import { quoted } from "../../terminal/text.ts";

/** A prompt, and the folder where it goes. */
export interface Planned {
  pulled: PulledPrompt;
  folder: string;
  /** What is in the folder now; null where there is none. */
  local: LocalPrompt | null;
  /** What will be in it. */
  files: readonly CheckedFile[];
  /**
   * `kept`: it was changed here, and nothing there since. `merged`: on both sides; `conflicts` are left to whoever pulls.
   * `overwritten`: what is there is in no version of the prompt, and would be lost.
   */
  status: "created" | "updated" | "unchanged" | "kept" | "merged" | "overwritten";
  conflicts: Conflict[];
  /** The version that what is in the folder came from, where that was looked for. */
  base?: number;
}

export interface PullOptions {
  into: string;
  /** Takes the registry's files also where they could be merged. */
  overwrite?: boolean;
  origin: string;
  /** The folders there that prompts were pulled into or pushed from, by the prompts' ids. */
  held: ReadonlyMap<string, string>;
  /** Undoes what killed commands left in a folder, before it is read. */
  recover: (folder: string) => Promise<void>;
}

/** Finds the folders of prompts right below a place: one may have the name that its prompt had before. */
export async function heldBelow(into: string, origin: string): Promise<Map<string, string>> {
  const held = new Map<string, string>();
  const names = await namesIn(into);
  if (names.includes(manifestName)) return held;
  for (const folder of names.map((name) => join(into, name))) {
    // Only tells where to look: the manifest there has to name the prompt.
    const state = await readState({ folder, isStateTrusted: true }, origin);
    if (state !== null) held.set(state.id, folder);
  }
  return held;
}

/** Looks at the folder of a prompt, and says what a pull would do to it. */
export async function planFor(client: Client, pulled: PulledPrompt, options: PullOptions): Promise<Planned> {
  const { prompt } = pulled;
  const own = await folderOf(options.into, prompt.slug);
  const isThere = (await namesIn(own)).length > 0;
  const folder = isThere ? own : (options.held.get(prompt.id) ?? own);
  await options.recover(folder);
  const begun = { pulled, folder, files: pulled.files, conflicts: [] };
  const names = await namesIn(folder);
  if (names.length === 0) return { ...begun, local: null, status: "created" };
  if (!names.includes(manifestName)) {
    throw new InputError(
      `${folder} exists, but is not a prompt folder. Pull ${prompt.ref} into another folder with --into.`,
    );
  }
  const local = await readPrompt(folder, readingOf(pulled));
  const named = local.manifest.prompt;
  if (named !== prompt.ref && named !== prompt.slug && !(await leadsTo(client, named, prompt))) {
    throw new InputError(`${folder} contains ${named}. Pull ${prompt.ref} into another folder with --into.`);
  }
  if (local.contentHash === (await contentHash(pulled.files)))
    return { ...begun, local, status: "unchanged" };
  refuseSource(local);
  const base = await findBase(client, local, prompt, options);
  if (base?.by === "content") return { ...begun, local, base: base.version, status: "updated" };
  if (base === null) return { ...begun, local, status: "overwritten" };
  const known = { ...begun, local, base: base.version };
  if (options.overwrite) return { ...known, status: "overwritten" };
  if (base.version !== pulled.version.n) return { ...known, ...(await planMerge(client, known)) };
  refuseMarks(local);
  return { ...known, files: local.checked, status: "kept" };
}

/** Merges what is in a folder with a version, both of which came from `base`. */
export async function planMerge(
  client: Client,
  { pulled, local, base }: { pulled: PulledPrompt; local: LocalPrompt; base: number },
): Promise<Pick<Planned, "files" | "conflicts"> & { status: "merged" }> {
  refuseSource(local);
  refuseMarks(local);
  const from = await readVersion(client, { ...addressOf(pulled.prompt), version: base });
  const sides = { base: from.files, ours: local.checked, theirs: pulled.files };
  return { ...(await mergeFiles(sides, refOf(pulled))), status: "merged" };
}

function refuseSource({ folder, manifest: { source } }: LocalPrompt): void {
  if (source === undefined) return;
  throw new InputError(
    `${folder} has its text from ${source}, which is a file of another tool. It is not overwritten: \`promptreg diff ${quoted(folder)}\` shows what differs.`,
  );
}

/** How the folder of a prompt is read: what a pull writes there counts, though git ignores it. */
export const readingOf = ({ files }: PulledPrompt): Reading => ({ pulled: files.map(({ path }) => path) });

/** Whether an address is a former one of a prompt. */
async function leadsTo(client: Client, named: string, { id, owner }: Prompt): Promise<boolean> {
  const [slug = "", handle = owner.handle] = named.split("/").reverse();
  const find = await lookUp(client, [{ owner: handle, slug }]);
  return (await find({ owner: handle, slug }))?.id === id;
}

/** `owner/slug@3`. */
export const refOf = ({ prompt, version }: PulledPrompt): string => `${prompt.ref}@${version.n}`;

/** Where a prompt goes: below a folder by its name, or into the folder itself where that is a prompt. */
const folderOf = async (into: string, slug: string): Promise<string> =>
  (await namesIn(into)).includes(manifestName) ? into : join(into, slug);

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw unreadable(folder, error);
  });
}
