import type { Variable } from "@promptreg/core";
import {
  type CheckedFile,
  checkFiles,
  contentHash,
  type FileInput,
  type Warning,
} from "@promptreg/core/content";
import { InputError } from "../errors.ts";
import { readFolder } from "./folder.ts";
import { type Manifest, readManifest } from "./manifest.ts";

/** A prompt folder, read and found in order as far as can be told from here. */
export interface LocalPrompt {
  folder: string;
  manifest: Manifest;
  files: FileInput[];
  checked: CheckedFile[];
  /** What the registry will work out for these files. */
  contentHash: string;
  /** What the registry will take from the entry file; empty unless it was looked for. */
  entry: { variables: Variable[]; config: Record<string, unknown>; warnings: Warning[] };
}

/** Reads a prompt folder; with `isThorough`, its entry file too, as the registry will when it comes to that. */
export async function readPrompt(folder: string, { isThorough = false } = {}): Promise<LocalPrompt> {
  const manifest = await readManifest(folder);
  const files = await readFolder(folder);
  const { files: checked, problems } = await checkFiles(files);
  const slug = manifest.prompt.replace(/^.*\//, "");
  const entry =
    isThorough && problems.length === 0
      ? (await import("./read-entry.ts")).readEntry(manifest.kind, checked, slug)
      : { variables: [], config: {}, warnings: [], problems };
  if (entry.problems.length > 0) {
    const details = entry.problems.map(({ message }) => ({ path: "", message }));
    throw new InputError(`${folder} cannot become a version.`, details);
  }
  return { folder, manifest, files, checked, entry, contentHash: await contentHash(checked) };
}
