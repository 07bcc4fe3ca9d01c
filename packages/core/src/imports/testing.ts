import { readEntry } from "../content/entry.ts";
import { entryFiles } from "../content/kinds.ts";
import type { Json, Variable } from "../template/variable.ts";
import { renderVersion } from "../template/version.ts";
import { type Found, type ImportDraft, ImportError } from "./detector.ts";
import { detectors } from "./detectors/table.ts";

/** A text in pieces of this size. */
export async function* piecesOf(text: string, size = 4096): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

/** What the first detector finds that finds anything in a file, with other files around it. */
export async function foundIn(path: string, text: string, others: Record<string, string> = {}) {
  const files = new Map([...Object.entries(others), [path, text]]);
  const around = { paths: [...files.keys()], read: async (one: string) => files.get(one) ?? null };
  for (const detector of detectors) {
    if (!detector.takes(path)) continue;
    const found: Found[] = [];
    if ("read" in detector) found.push(...(await detector.read({ path, text }, around)));
    else for await (const one of detector.stream(piecesOf(text), path)) found.push(one);
    if (found.length > 0) return { detector: detector.name, found };
  }
  return { detector: null, found: [] };
}

/** The prompts in a file; the sentence instead of what is refused. */
export const promptsIn = async (...file: Parameters<typeof foundIn>): Promise<(ImportDraft | string)[]> =>
  (await foundIn(...file)).found.map((one) =>
    one instanceof ImportError ? `${one.part}: ${one.message}` : one,
  );

/** The only prompt in a file. */
export async function promptIn(...file: Parameters<typeof foundIn>): Promise<ImportDraft> {
  const [prompt, ...others] = await promptsIn(...file);
  if (typeof prompt !== "object" || others.length > 0)
    throw new Error(`Not one prompt, but ${JSON.stringify(prompt)} and ${others.length} more.`);
  return prompt;
}

/** What a prompt is once it is a version, which it must be able to become. */
export function versionOf({ kind, entry: content }: ImportDraft) {
  const path = entryFiles[kind];
  const bytes = new TextEncoder().encode(content);
  const file = {
    path,
    mode: "100644" as const,
    content,
    bytes,
    size: bytes.length,
    sha256: "",
    mediaType: "",
    encoding: "utf8" as const,
  };
  const { problems, warnings, variables, config } = readEntry(kind, [file], "x");
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join(" "));
  return { entry: path, files: [file], variables, config, warnings };
}

/** Its messages, filled in. */
export function said(
  draft: ImportDraft,
  values: Record<string, Json> = {},
): { role: string; text: unknown }[] {
  const version: { variables: Variable[] } & Parameters<typeof renderVersion>[0] = versionOf(draft);
  const { messages } = renderVersion(version, values, { strict: false });
  return messages.map(({ role, content }) => ({ role, text: content }));
}
