import { fitText } from "../imports/foreign/names.ts";
import { plain, type ReadText } from "./read.ts";

const longest = 280;
/** A sentence of fewer letters says little alone: `You are an expert writer.` */
const shortest = 70;
/** As much of a paragraph as its first sentences are looked for in. */
const mostRead = 2_000;

const sentences = new Intl.Segmenter("en", { granularity: "sentence" });

/** What ICU takes for an end and is none: an abbreviation, or the number of an item. */
const goesOn = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|dr|mr|mrs|ms|st|no|approx|\p{L}|\d{1,3}|)\.\s*$/iu;

/** The sentences at the beginning of a text, each with the spaces behind it. */
function* sentencesOf(text: string): Generator<string> {
  let found = "";
  for (const { segment } of sentences.segment(text.slice(0, mostRead))) {
    found += segment;
    if (goesOn.test(found)) continue;
    yield found;
    found = "";
  }
  if (found !== "") yield found;
}

/** The first sentence of a paragraph, with the next if it is short; null if there is none. */
export function firstSentence(paragraph: string, least = shortest): string | null {
  let found = "";
  for (const sentence of sentencesOf(paragraph)) {
    found += sentence;
    if (found.trim().length >= least) break;
  }
  return found.trim() === "" ? null : found.trim();
}

/** The first paragraph that is a sentence; without one, the first of all. */
export const leading = (paragraphs: readonly string[]): string =>
  paragraphs.find((text) => /[.!?。！？]/.test(text)) ?? paragraphs[0] ?? "";

/** The summary of a text: the beginning of what it says it is, or its first sentence; null if it has none. */
export function summaryOf({ description, paragraphs }: ReadText): string | null {
  const first =
    wholeSentences(plain((description ?? "").slice(0, mostRead))) ?? firstSentence(leading(paragraphs));
  return fitText(first?.trimEnd().replace(/[:：]$/, ".") ?? null, longest);
}

/** As many sentences as a summary may have letters, and the first in any case. */
function wholeSentences(text: string): string | null {
  let found = "";
  for (const sentence of sentencesOf(text)) {
    if (found !== "" && found.length + sentence.trimEnd().length > longest) break;
    found += sentence;
  }
  return found.trim() === "" ? null : found.trim();
}
