import type { DetectedPrompt, NamedKind, RefusedPrompt } from "@promptreg/core/imports";
import type { LocalSource } from "./folder-source.ts";

/** A prompt that was found. */
export interface FoundPrompt extends DetectedPrompt {
  /** Where it was found, for its manifest and for a second run. */
  from: string;
}

export interface FoundPrompts {
  prompts: FoundPrompt[];
  refused: RefusedPrompt[];
}

/** Texts, less those about a project. */
const text = /(?:^|\/)(?!README|LICENSE|CHANGELOG|CONTRIBUTING)[^/]+\.(?:md|mdx|markdown|txt)$/i;

/** Finds the prompts of a source. `fromOf` says where a file of it is, to whoever reads a manifest. */
export async function findPrompts(
  source: LocalSource,
  {
    fromOf,
    kind,
    onFound,
  }: {
    fromOf: (path: string) => string;
    kind?: NamedKind | undefined;
    onFound: (count: number) => void;
  },
): Promise<FoundPrompts> {
  const { detect } = await import("./detect.ts");
  const found: FoundPrompts = { prompts: [], refused: [] };
  const kindOf = (path: string) => {
    if (path === source.alone) return kind ?? "text";
    return kind !== undefined && source.isWanted(path) && text.test(path) ? kind : null;
  };
  for await (const one of detect(source, { kindOf, project: source.project })) {
    if ("refused" in one) {
      if (source.isWanted(one.refused.sourcePath)) found.refused.push(one.refused);
      continue;
    }
    const { prompt } = one;
    if (!source.isWanted(prompt.sourcePath) && prompt.part === null) continue;
    // `skills/pdf/SKILL.md`, or `prompts.csv#Linux Terminal`.
    const part = prompt.part === null ? "" : `#${prompt.part}`;
    found.prompts.push({ ...prompt, from: `${fromOf(prompt.sourcePath)}${part}` });
    onFound(found.prompts.length);
  }
  return found;
}
