import { checkFiles, contentHash, type FileInput, type Warning } from "@promptreg/core/content";
import { InputError } from "../errors.ts";
import { readFolder } from "./folder.ts";
import { type Manifest, readManifest } from "./manifest.ts";

/** A prompt folder, read and found in order as far as can be told from here. */
export interface LocalPrompt {
  folder: string;
  manifest: Manifest;
  files: FileInput[];
  /** What the registry will work out for these files. */
  contentHash: string;
  /** What the registry will remark; empty unless it was looked for. */
  warnings: Warning[];
}

/** Reads a prompt folder; with `isThorough`, its entry file too, as the registry will when it comes to that. */
export async function readPrompt(folder: string, { isThorough = false } = {}): Promise<LocalPrompt> {
  const manifest = await readManifest(folder);
  const files = await readFolder(folder);
  const checked = await checkFiles(files);
  let { problems } = checked;
  let warnings: Warning[] = [];
  if (isThorough && problems.length === 0) {
    const { readEntry } = await import("./read-entry.ts");
    ({ problems, warnings } = readEntry(manifest.kind, checked.files, manifest.prompt.replace(/^.*\//, "")));
  }
  if (problems.length > 0) {
    const details = problems.map(({ message }) => ({ path: "", message }));
    throw new InputError(`${folder} cannot become a version.`, details);
  }
  return { folder, manifest, files, warnings, contentHash: await contentHash(checked.files) };
}
