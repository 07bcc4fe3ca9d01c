import { fold } from "../search/words.ts";
import { usualWords } from "./usual-words.ts";
import type { ReadText } from "./read.ts";

/** How many tags are suggested. */
const most = 5;
/** How many words of a text may be tags: as many are asked for in the registry. */
const mostAsked = 100;
const longestTag = 32;
/** What is said once is no subject, unless others use it as a tag; and new tags are few. */
const leastOfNew = 7;
const mostNew = 3;
/** What others use as a tag has to stand above, or be said more than once. */
const leastOfKnown = 3;
/** Words that say how something is, or is done. */
const isManner = /(?:ly|ous|ful|ed|est|able|ible|ive|less|ing|ize|ise|ate)$/;
/** How much more a tag that others use is worth than a new one. */
const ofOthers = 1.5;

/** What counts how often in a text: it is about what stands above. */
const weights = { title: 6, description: 4, heading: 2, text: 1 };

/** A word that may be a tag, and what it weighs in its text. */
export interface Candidate {
  tag: string;
  weight: number;
  isPair: boolean;
}

/** A run of words that nothing but spaces, hyphens, slashes and underscores part. */
const runs = /[a-z0-9][a-z0-9+]*(?:[ \-/_][a-z0-9][a-z0-9+]*)*/g;

/** The words of a text, and its pairs of neighbours, that may be tags; the weightiest first. */
export function tagCandidates(text: ReadText, title: string | null): Candidate[] {
  const weighed = new Map<string, Candidate>();
  const add = (said: string, weight: number) => {
    for (const [run] of fold(said).matchAll(runs)) {
      const words = run.split(/[ \-/_]/);
      for (const [nth, word] of words.entries()) {
        note(word, weight, false);
        const next = words[nth + 1];
        if (next !== undefined && isSubject(word) && isSubject(next)) note(`${word}-${next}`, weight, true);
      }
    }
  };
  const note = (tag: string, weight: number, isPair: boolean) => {
    if (!isPair && !isSubject(tag)) return;
    if (tag.length > longestTag || !/^[a-z0-9][a-z0-9-]*$/.test(tag)) return;
    const one = weighed.get(tag) ?? { tag, weight: 0, isPair };
    one.weight += weight;
    weighed.set(tag, one);
  };
  add(title ?? "", weights.title);
  add(text.name ?? "", weights.title);
  add(text.description ?? text.paragraphs[0] ?? "", weights.description);
  for (const { text: said } of text.headings) add(said, weights.heading);
  for (const said of text.paragraphs) add(said, weights.text);
  return [...weighed.values()].sort((a, b) => b.weight - a.weight).slice(0, mostAsked);
}

const isSubject = (word: string): boolean =>
  word.length >= 2 && /[a-z]/.test(word) && !usualWords.has(word) && !/^\d/.test(word);

/** How often public prompts have a tag, of those that do; and how often the most used tag is. */
export type TagCounts = ReadonlyMap<string, number>;

/** The names under which the registry may know a word: as it is, and in the other number. */
export const spellings = (tag: string): string[] => [tag, tag.endsWith("s") ? tag.slice(0, -1) : `${tag}s`];

/** The tags of a text: its words by how often it has them and how rare they are elsewhere, those first that others use. */
export function tagsOf(candidates: readonly Candidate[], counts: TagCounts): string[] {
  const highest = Math.max(1, ...counts.values());
  const scored = candidates.map(({ tag, weight, isPair }) => {
    const known = spellings(tag).find((one) => counts.has(one));
    const count = counts.get(known ?? "") ?? 0;
    const rarity = 1 + Math.log((highest + 1) / (count + 1)) / Math.log(highest + 1);
    const isNew = known === undefined;
    // A new pair says the same as its words.
    const isWorth = isNew
      ? weight >= leastOfNew && !isPair && tag.length > 2 && !isManner.test(tag)
      : weight >= leastOfKnown;
    const score = isWorth ? Math.sqrt(weight) * (isNew ? 1 : ofOthers * rarity) * (isPair ? 1.3 : 1) : 0;
    return { tag: known ?? tag, score, isNew };
  });
  const tags: string[] = [];
  let added = 0;
  for (const { tag, score, isNew } of scored.sort((a, b) => b.score - a.score)) {
    if (score === 0 || tags.length === most) break;
    // A word of a pair that is there already, or its plural.
    const isSaid = tags.some((one) => spellings(tag).some((spelt) => `-${one}-`.includes(`-${spelt}-`)));
    if (isSaid || (isNew && added === mostNew)) continue;
    if (isNew) added += 1;
    tags.push(tag);
  }
  return tags;
}
