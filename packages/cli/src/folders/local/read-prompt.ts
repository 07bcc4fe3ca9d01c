import { basename, join } from "node:path";
import type { Variable } from "@promptreg/core";
import {
  type CheckedFile,
  checkFiles,
  contentHash,
  type FileInput,
  type Warning,
} from "@promptreg/core/content";
import { leftRuns } from "../../disk/runs.ts";
import { type Detail, InputError } from "../../errors.ts";
import { type LeftBehind, readFolder, type Reading } from "./read-folder.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { createSelection } from "./selection.ts";
import type { StatePlace } from "./state-file.ts";

/** A prompt folder, read and found in order as far as can be told from here. */
export interface LocalPrompt extends StatePlace {
  manifest: Manifest;
  files: FileInput[];
  checked: CheckedFile[];
  /** What is in the folder and no part of the prompt. */
  leftBehind: LeftBehind[];
  /** What the registry will work out for these files. */
  contentHash: string;
  /** What the registry will take from the entry file; empty unless it was looked for. */
  entry: { variables: Variable[]; config: Record<string, unknown>; warnings: Warning[] };
}

/** A prompt folder as far as it can be read, and what is wrong with it. */
export interface ReadFolder
  extends Pick<LocalPrompt, "folder" | "files" | "checked" | "leftBehind" | "isStateTrusted"> {
  manifest: Manifest | null;
  problems: Detail[];
}

/** Reads all of a prompt folder that can be read, so that everything that is wrong with it is told at once. */
export async function readParts(folder: string, reading?: Reading): Promise<ReadFolder> {
  const problems: Detail[] = [];
  const note = (error: unknown): null => {
    if (!(error instanceof InputError)) throw error;
    const { message, details } = error;
    problems.push(...(details.length > 0 ? details : [{ path: "", message }]));
    return null;
  };
  // Files may be missing here, and a push would delete them in the registry.
  for (const draft of await leftRuns(folder))
    problems.push({
      path: basename(draft),
      message: "a pull was killed while it wrote here. Pull again: that brings the former files back.",
    });
  const manifest = await readManifest(folder, reading?.given).catch(note);
  const content = await readContent(folder, manifest, reading).catch(note);
  const { files, leftBehind, isStateTrusted } = content ?? {
    files: [],
    leftBehind: [],
    isStateTrusted: false,
  };
  const { files: checked, problems: found } = await checkFiles(files);
  problems.push(...found.map((problem) => placeIn(files, problem)));
  return { folder, manifest, files, checked, leftBehind, isStateTrusted, problems };
}

/** The files of a folder, and the entry file that its manifest has elsewhere. */
async function readContent(folder: string, manifest: Manifest | null, reading: Reading = {}) {
  const content = await readFolder(folder, reading);
  if (manifest?.source === undefined) return content;
  const { selection = createSelection([folder]) } = reading;
  const entry = await (await import("./read-source.ts")).readSource(folder, manifest, selection);
  const own = content.files.find(({ path }) => path === entry.path);
  if (own !== undefined)
    throw new InputError(
      `${folder} has a ${own.path}, and its manifest names ${manifest.source} as its source. Remove one.`,
    );
  return { ...content, files: [entry, ...content.files] };
}

/** Names the file that a problem or a warning of the registry's rules is about, instead of its place in a request. */
export function placeIn(files: readonly FileInput[], { path, message }: Detail): Detail {
  const file = files[Number(/^\/files\/(\d+)/.exec(path)?.[1])]?.path;
  if (file === undefined || !message.startsWith(file)) return { path: "", message };
  return { path: file, message: message.slice(file.length).replace(/^:? /, "") };
}

/** Reads a prompt folder; with `isThorough`, its entry file too, as the registry will when it comes to that. */
export async function readPrompt(
  folder: string,
  { isThorough = false, ...reading }: Reading & { isThorough?: boolean } = {},
): Promise<LocalPrompt> {
  const { manifest, problems, ...parts } = await readParts(folder, reading);
  if (manifest === null || problems.length > 0) throw refusalOf(folder, problems);
  const slug = slugOf(manifest);
  const entry = isThorough
    ? (await import("./read-entry.ts")).readEntry(manifest.kind, parts.checked, slug)
    : { variables: [], config: {}, warnings: [], problems: [] };
  if (entry.problems.length > 0)
    throw refusalOf(
      folder,
      entry.problems.map((problem) => placeIn(parts.files, problem)),
    );
  return { ...parts, manifest, entry, contentHash: await contentHash(parts.checked) };
}

/** The files of a folder that are deleted when it gets others. */
export const filesLost = ({ folder, checked }: LocalPrompt, files: readonly CheckedFile[]): string[] =>
  checked.flatMap(({ path }) => (files.some((one) => one.path === path) ? [] : join(folder, path)));

export const slugOf = ({ prompt }: Manifest): string => prompt.replace(/^.*\//, "");

/** The error of a folder that breaks rules; of one alone the sentence is its own. */
export function refusalOf(folder: string, problems: readonly Detail[]): InputError {
  const [first] = problems;
  if (problems.length === 1 && first?.path === "" && first.message.includes(folder))
    return new InputError(first.message);
  return new InputError(`${folder} cannot be pushed.`, problems);
}
