import type { PromptKind } from "../content/kinds.ts";
import { entryFiles } from "../content/kinds.ts";
import type { MadeSuggestions, SuggestedField, SuggestedTexts } from "../groups/suggestions/suggestions.ts";
import { slugOf } from "../imports/foreign/names.ts";
import { type Content, messageOf } from "./message.ts";
import { type ReadText, readText } from "./read.ts";
import { summaryOf } from "./summary.ts";
import { type Candidate, tagCandidates, type TagCounts, tagsOf } from "./tags.ts";
import { titleOf } from "./title.ts";

/** What is to be described. */
export interface Described {
  kind: PromptKind;
  /** The name that its author chose; null if it has none yet. */
  slug: string | null;
  now: Content;
  /** The version that it would replace; null if there is none. */
  before: Content | null;
  fields: readonly SuggestedField[];
  /** Whether its texts had something that looks like a secret. The lines with it are left out here, but it may have been longer. */
  hasSecret: boolean;
}

/** What a provider is asked. */
export interface SuggestionInput extends Described {
  /** How often public prompts have the words of the text as tags. */
  tagCounts: TagCounts;
}

/** Somebody who makes suggestions. */
export interface SuggestionProvider {
  readonly provider: MadeSuggestions["provider"];
  readonly model: string | null;
  /**
   * Makes what it can; null if it makes none now, such as when it is busy. What comes back is checked by nobody before its caller.
   * @throws {Error} if it failed.
   */
  suggest(
    input: SuggestionInput,
    signal: AbortSignal,
  ): Promise<{ suggestions: SuggestedTexts; usage: MadeSuggestions["usage"] } | null>;
}

/** What can be read of what is described, before anybody is asked about its words. */
export function readDescribed({ kind, slug, now }: Described): {
  text: ReadText;
  title: string | null;
  candidates: Candidate[];
} {
  const text = readText(kind, now.entry);
  const title = titleOf(text, slug);
  return { text, title, candidates: tagCandidates(text, title) };
}

/** Makes suggestions by rules: from headings, first sentences, words and differences. */
export const heuristic: SuggestionProvider = {
  provider: "heuristic",
  model: null,
  suggest(input) {
    const { kind, now, before, fields, tagCounts } = input;
    const { text, title, candidates } = readDescribed(input);
    const tags = tagsOf(candidates, tagCounts);
    const made: { [F in SuggestedField]: () => SuggestedTexts[F] | null } = {
      title: () => title,
      summary: () => summaryOf(text),
      tags: () => (tags.length === 0 ? null : tags),
      slug: () => slugOf(text.name ?? "") || slugOf((title ?? "").replaceAll("'", "")) || null,
      message: () => messageOf({ kind, entryPath: entryFiles[kind] }, before, now),
    };
    const suggestions = Object.fromEntries(
      fields.map((field) => [field, made[field]()] as const).filter(([, value]) => value !== null),
    );
    return Promise.resolve({ suggestions, usage: null });
  },
};
