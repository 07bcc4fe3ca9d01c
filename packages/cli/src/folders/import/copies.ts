import { comparableText, entryFiles, fingerprint } from "@promptreg/core/content";
import { createHash } from "node:crypto";
import type { FoundPrompt } from "./find.ts";
import type { LocalSource } from "./folder-source.ts";

/**
 * Finds prompts that say the same as another one of the source, as tools that each have a folder of their own for one command do. Each
 * stands with the one that is taken: the first, or one that `isKnown` from before.
 */
export async function findCopies(
  source: LocalSource,
  prompts: readonly FoundPrompt[],
  isKnown: (prompt: FoundPrompt) => boolean,
): Promise<Map<FoundPrompt, FoundPrompt>> {
  const copies = new Map<FoundPrompt, FoundPrompt>();
  for (const alike of await groupBy(prompts, textKey)) {
    for (const same of await groupBy(alike, (prompt) => filesKey(source, prompt))) {
      const taken = same.find(isKnown) ?? same[0];
      for (const prompt of same) if (taken !== undefined && prompt !== taken) copies.set(prompt, taken);
    }
  }
  return copies;
}

/** Those with the same key, where there are several. */
async function groupBy(
  prompts: readonly FoundPrompt[],
  keyOf: (prompt: FoundPrompt) => Promise<string | null>,
): Promise<FoundPrompt[][]> {
  const groups = new Map<string, FoundPrompt[]>();
  for (const prompt of prompts) {
    const key = await keyOf(prompt);
    if (key !== null) groups.set(key, [...(groups.get(key) ?? []), prompt]);
  }
  return [...groups.values()].filter(({ length }) => length > 1);
}

async function textKey({ kind, files, taken }: FoundPrompt): Promise<string | null> {
  const entry = files.find(({ path }) => path === entryFiles[kind])?.content;
  const print = typeof entry === "string" ? await fingerprint(comparableText(kind, entry)) : null;
  return print && JSON.stringify([kind, print, ...taken.map(({ path, from }) => [path, from.size])]);
}

/** Of the files beside the entry. They are read only where the texts are the same. */
async function filesKey(source: LocalSource, { kind, files, taken }: FoundPrompt): Promise<string> {
  const digest = createHash("sha256");
  const add = (path: string, content: string | Uint8Array) =>
    void digest.update(`${path}\0${content.length}\0`).update(content);
  for (const { path, content } of files) if (path !== entryFiles[kind]) add(path, content);
  for (const { path, from } of taken) add(path, await source.read(from.path));
  return digest.digest("hex");
}
