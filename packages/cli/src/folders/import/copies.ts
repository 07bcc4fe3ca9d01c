import { comparableText, entryFiles, fingerprint } from "@promptreg/core/content";
import { createHash } from "node:crypto";
import type { FoundPrompt } from "./find.ts";
import type { LocalSource } from "./folder-source.ts";

/** Prompts of one source, each with another one of it. */
export type Pairs = ReadonlyMap<FoundPrompt, FoundPrompt>;

export interface Copies {
  /** They are the same in all that a user sees, as tools that each have a folder of their own for one command do. The other one is taken. */
  copies: Pairs;
  /** They only say the same to a model: their names, settings, variables or files differ. Both are taken. */
  alike: Pairs;
}

/** Finds prompts that are the same as an earlier one of the source, or as one that `isKnown` from before. */
export async function findCopies(
  source: LocalSource,
  prompts: readonly FoundPrompt[],
  isKnown: (prompt: FoundPrompt) => boolean,
): Promise<Copies> {
  const copies = new Map<FoundPrompt, FoundPrompt>();
  const alike = new Map<FoundPrompt, FoundPrompt>();
  for (const group of await groupBy(prompts, textKey)) {
    const kept = new Set(group);
    for (const same of await groupBy(group, (prompt) => wholeKey(source, prompt))) {
      const taken = same.find(isKnown) ?? same[0]!;
      for (const prompt of same) {
        if (prompt === taken) continue;
        copies.set(prompt, taken);
        kept.delete(prompt);
      }
    }
    const [first, ...others] = kept;
    for (const prompt of others) alike.set(prompt, first!);
  }
  return { copies, alike };
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

async function textKey({ kind, files }: FoundPrompt): Promise<string | null> {
  const entry = files.find(({ path }) => path === entryFiles[kind])?.content;
  const print = typeof entry === "string" ? await fingerprint(comparableText(kind, entry)) : null;
  return print && `${kind} ${print}`;
}

/** Of all that a user sees. Files are read only where the texts are the same. */
async function wholeKey(source: LocalSource, prompt: FoundPrompt): Promise<string> {
  const { name, title, summary, tags, license, files, taken } = prompt;
  const digest = createHash("sha256").update(JSON.stringify([name, title, summary, tags, license]));
  const add = (path: string, content: string | Uint8Array) =>
    void digest.update(`${path}\0${content.length}\0`).update(content);
  for (const { path, content } of files) add(path, content);
  for (const { path, from } of taken) add(path, await source.read(from.path));
  return digest.digest("hex");
}
