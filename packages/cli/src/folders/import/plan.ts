import { pathFromTo } from "../../disk/places.ts";
import { readdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { type CheckedFile, checkFiles, contentHash, type FileInput } from "@promptreg/core/content";
import { searchedText } from "@promptreg/core/secrets";
import { type Detail, InputError } from "../../errors.ts";
import { makeFolder } from "../local/make-folder.ts";
import { type Manifest, readManifest } from "../local/manifest.ts";
import { takenOf, toInput } from "../local/read-folder.ts";
import { describeSecrets } from "../../requests/secrets.ts";
import { type Reimport, type ReimportOptions, planReimport, writeReimport } from "./reimport.ts";
import { type About, noteBase } from "./base.ts";
import type { FoundPrompt } from "./find.ts";
import type { LocalSource } from "./folder-source.ts";

/** What becomes of a prompt that was found. */
export interface PlannedImport {
  prompt: FoundPrompt;
  folder: string;
  /** Those of the source. */
  files: readonly CheckedFile[];
  /**
   * `secret`: something in it looks like one. `copy`: another prompt of the source is the same. What `Reimport` says is of prompts that an earlier import
   * wrote.
   */
  status: "new" | "secret" | "copy" | Reimport["status"];
  again?: Reimport;
  /** What in it looks like a secret. */
  secrets: readonly Detail[];
  /** Where the prompt was found that it is a copy of. */
  copyOf?: string;
  /** Another prompt that is taken, with the same text. */
  alike?: FoundPrompt | undefined;
}

/** The prompts that earlier imports wrote below a folder, by where they came from. */
export interface Imported {
  folders: ReadonlyMap<string, string>;
  /** Those whose text is a file elsewhere, by where that is. */
  sources: ReadonlyMap<string, string>;
  /** Whether an import wrote a folder. */
  isOwn: (folder: string) => boolean;
  /** The names of all folders and files there. */
  taken: Set<string>;
}

export async function importedInto(into: string): Promise<Imported> {
  const names = await readdir(into).catch(() => []);
  const folders = new Map<string, string>();
  const sources = new Map<string, string>();
  for (const name of names) {
    const folder = join(into, name);
    // Not every folder there is a prompt.
    const { from, source } = await readManifest(folder).catch((): Partial<Manifest> => ({}));
    // Earlier releases wrote the name of the project's own folder: `../../project/prompts.csv`.
    if (from !== undefined)
      folders.set(from.startsWith(".") ? pathFromTo(into, join(into, from)) : from, folder);
    if (source !== undefined) sources.set(resolve(folder, source), folder);
  }
  const own = new Set(Array.from(folders.values(), (folder) => resolve(folder)));
  return {
    folders,
    sources,
    isOwn: (folder) => own.has(resolve(folder)),
    taken: new Set(names.map((name) => name.toLowerCase())),
  };
}

/**
 * Says what an import would do with a prompt.
 * @throws {InputError} if the registry would not take its files.
 */
export async function planImport(
  source: LocalSource,
  prompt: FoundPrompt,
  {
    into,
    imported,
    copyOf,
    allowSecrets,
    ...options
  }: {
    into: string;
    imported: Imported;
    copyOf: string | undefined;
    allowSecrets: boolean;
  } & ReimportOptions,
): Promise<PlannedImport> {
  const files = await filesOf(source, prompt);
  const planned = { prompt, folder: join(into, prompt.slug), files, secrets: [] };
  const known = imported.folders.get(prompt.from);
  if (known !== undefined) {
    const again = await planReimport(known, { files, about: aboutOf(prompt) }, options);
    const secrets = allowSecrets || !isWritten(again) ? [] : await secretsIn(prompt, files);
    const status = secrets.length > 0 ? "secret" : again.status;
    return { ...planned, folder: known, again, secrets, status };
  }
  if (copyOf !== undefined) return { ...planned, status: "copy", copyOf };
  const secrets = allowSecrets ? [] : await secretsIn(prompt, files);
  if (secrets.length > 0) return { ...planned, status: "secret", secrets };
  return { ...planned, folder: join(into, freeName(prompt.slug, imported.taken)), status: "new" };
}

const secretsIn = (
  { title, summary, sourcePath }: FoundPrompt,
  files: readonly CheckedFile[],
): Promise<Detail[]> =>
  describeSecrets([
    { path: "title", text: title },
    { path: "summary", text: summary ?? "" },
    { path: "path", text: sourcePath },
    ...files.map((file) => ({ path: file.path, text: searchedText(file) })),
  ]);

export function freeName(slug: string, taken: Set<string>): string {
  let name = slug;
  for (let n = 2; taken.has(name); n += 1) name = `${slug.slice(0, 60).replace(/-$/, "")}-${n}`;
  taken.add(name);
  return name;
}

async function filesOf(source: LocalSource, { files, taken }: FoundPrompt): Promise<CheckedFile[]> {
  const inputs: FileInput[] = files.map(({ path, mode, content }) =>
    typeof content === "string"
      ? { path, mode, content }
      : { path, mode, content: Buffer.from(content).toString("base64"), encoding: "base64" },
  );
  const goesOut = takenOf(taken.map(({ path }) => path));
  for (const { path, from } of taken) {
    if (!goesOut.has(path)) continue;
    const bytes = Buffer.from(await source.read(from.path));
    inputs.push(toInput(path, bytes, from.mode === "100755" ? 0o755 : 0o644));
  }
  const { files: checked, problems } = await checkFiles(inputs);
  const [problem] = problems;
  if (problem !== undefined) throw new InputError(problem.message);
  return checked;
}

/** Whether an import writes its files. */
export const isWritten = ({ status }: Pick<PlannedImport, "status">): boolean =>
  status === "new" || status === "updated" || status === "merged";

/** Writes what was planned. A manifest says nothing of what no source says, such as the visibility: a new prompt is private, and one that is not stays so. */
export async function writeImport(planned: PlannedImport, owner: string | undefined): Promise<void> {
  const { prompt, folder, files, again } = planned;
  const about = aboutOf(prompt);
  if (again !== undefined) return writeReimport(folder, again, { files, about });
  const slug = basename(folder);
  await makeFolder(folder, files, {
    prompt: owner === undefined ? slug : `${owner}/${slug}`,
    kind: prompt.kind,
    ...about,
    from: prompt.from,
    fromHash: await contentHash(files),
  });
  await noteBase(folder, { files, about });
}

const aboutOf = ({ title, summary, tags, license }: FoundPrompt): About => ({
  title,
  ...(summary !== null && { summary }),
  ...(tags.length > 0 && { tags }),
  ...(license !== null && { license }),
});
