import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type CheckedFile, checkFiles, contentHash, type FileInput } from "@promptreg/core/content";
import { searchedText } from "@promptreg/core/secrets";
import { type Detail, InputError } from "../../errors.ts";
import { type Manifest, readManifest } from "../local/manifest.ts";
import { takenOf, toInput } from "../local/read-folder.ts";
import { readPrompt } from "../local/read-prompt.ts";
import { describeSecrets } from "../local/secrets.ts";
import type { FoundPrompt } from "./find.ts";
import { type LocalSource, relativeTo } from "./folder-source.ts";

/** What becomes of a prompt that was found. */
export interface PlannedImport {
  prompt: FoundPrompt;
  folder: string;
  files: readonly CheckedFile[];
  /**
   * `unchanged`: an earlier import wrote the same. `changed`: it wrote the folder, and the source says something else than the folder now. `secret`:
   * something in it looks like one. `copy`: another prompt of the source says the same. Only `new` is written.
   */
  status: "new" | "unchanged" | "changed" | "secret" | "copy";
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
      folders.set(from.startsWith(".") ? relativeTo(into, join(into, from)) : from, folder);
    if (source !== undefined) sources.set(resolve(folder, source), folder);
  }
  return { folders, sources, taken: new Set(names.map((name) => name.toLowerCase())) };
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
  }: { into: string; imported: Imported; copyOf: string | undefined; allowSecrets: boolean },
): Promise<PlannedImport> {
  const files = await filesOf(source, prompt);
  const planned = { prompt, folder: join(into, prompt.slug), files, secrets: [] };
  const known = imported.folders.get(prompt.from);
  if (known !== undefined) {
    const isSame = await readPrompt(known).then(
      async ({ contentHash: there }) => there === (await contentHash(files)),
      () => false,
    );
    return { ...planned, folder: known, status: isSame ? "unchanged" : "changed" };
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

/** What the manifest of an imported prompt says. */
export function manifestFor({ prompt: found, folder }: PlannedImport, owner: string | undefined) {
  const { kind, title, summary, tags, license, from } = found;
  const slug = folder.replace(/^.*[/\\]/, "");
  return {
    prompt: owner === undefined ? slug : `${owner}/${slug}`,
    kind,
    title,
    ...(summary !== null && { summary }),
    ...(tags.length > 0 && { tags }),
    ...(license !== null && { license }),
    visibility: "private" as const,
    from,
  };
}
