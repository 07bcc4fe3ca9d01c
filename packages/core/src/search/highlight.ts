import type { Segment } from "../groups/search/schemas.ts";
import { charactersOf, fold, isUnspaced } from "./words.ts";

/** About how long an excerpt is, and how much of it comes before the first match. */
const excerptLength = 200;
const leadLength = 60;
const longestWord = 64;
/** Different words of a text that the database is asked about: a usual text has some dozens that begin with one letter. */
const mostWords = 100;

const inWords = String.raw`[\p{L}\p{N}\p{M}]`;
const plain = /^[ -~]*$/;
/** What breaks lines, commands a terminal or turns the text around it: in an excerpt all of it is a space. */
const unfit =
  /(?<! ) {2,}|(?! )[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\s][\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\s]*/gu;

const foldWord = (text: string): string => (plain.test(text) ? text.toLowerCase() : fold(text));

interface Span {
  start: number;
  end: number;
}

/** A part of a text that may match: a word, if the database says so. Without one, it matches. */
interface Candidate extends Span {
  word?: string;
}

/** A text, with what in it may match. */
export interface Read {
  text: string;
  candidates: Candidate[];
  /** Where an excerpt begins, unless all that matches stands before it. */
  from: number;
}

/** A text in which breaks and what commands a terminal are spaces. */
export const calm = (text: string): string => text.replace(unfit, " ").trim();

/**
 * Finds what may match one of the stems: words that begin alike, as the database knows which of them have a stem; and in texts
 * without spaces the characters that are searched for, whose stems are pairs.
 */
export function read(text: string, stems: ReadonlySet<string>, from = 0): Read {
  const candidates: Candidate[] = [];
  const words = new Set<string>();
  const folded = new Map<string, string>();
  for (const { 0: one, index } of text.matchAll(wordsLike(stems))) {
    if (!plain.test(one) && isUnspaced(one)) candidates.push(...spansOfRun(one, index, { stems, folded }));
    else if (one.length <= longestWord) {
      const found = foldWord(one);
      if (words.size < mostWords) words.add(found);
      if (words.has(found)) candidates.push({ start: index, end: index + one.length, word: found });
    }
  }
  return { text, candidates, from };
}

/** Words that begin with the letter of a stem, or have other letters than those of ASCII. The rest is passed over fast. */
function wordsLike(stems: ReadonlySet<string>): RegExp {
  const letters = Array.from(stems, ([first = ""]) => `${first}${first.toUpperCase()}`).join("");
  const first = `[${letters.replace(/[^\p{L}\p{N}]/gu, "")}]|[a-zA-Z0-9]*(?![\\x00-\\x7f])${inWords}`;
  return new RegExp(`(?<!${inWords})(?=${first})${inWords}+`, "gu");
}

/** The different words of texts that may match. */
export const likelyWords = (texts: readonly Read[]): string[] => [
  ...new Set(texts.flatMap(({ candidates }) => candidates.flatMap((one) => one.word ?? []))),
];

/** A text in segments; undefined if nothing in it matches. */
export function highlight({ text, candidates }: Read, words: ReadonlySet<string>): Segment[] | undefined {
  const spans = matching(candidates, words);
  return spans.length === 0 ? undefined : segmentsOf(text, spans, { start: 0, end: text.length });
}

/** The part of a long text around its first match, in segments; undefined if nothing in it matches. */
export function excerpt({ text, candidates, from }: Read, words: ReadonlySet<string>): Segment[] | undefined {
  const all = matching(candidates, words);
  const later = all.filter((span) => span.start >= from);
  const [spans, least] = later.length > 0 ? [later, from] : [all, 0];
  const [first] = spans;
  if (first === undefined) return undefined;
  const isNear = first.start - leadLength <= least;
  const start = isNear ? least : wordAfter(text, first.start - leadLength, first.start);
  const end = Math.max(first.end, wordBefore(text, start + excerptLength));
  const inside = spans.filter((span) => span.end <= end);
  const segments = segmentsOf(text, inside, { start, end });
  if (start > least) segments.unshift({ text: "…", match: false });
  if (end < text.length) segments.push({ text: "…", match: false });
  return segments;
}

const matching = (candidates: readonly Candidate[], words: ReadonlySet<string>): Span[] =>
  candidates.filter((one) => one.word === undefined || words.has(one.word));

/** The start of the next word, so that no word is cut. */
function wordAfter(text: string, from: number, most: number): number {
  const space = text.slice(from, most).indexOf(" ");
  return space >= 0 ? from + space + 1 : afterPair(text, from);
}

function wordBefore(text: string, to: number): number {
  if (to >= text.length) return text.length;
  const space = text.lastIndexOf(" ", to);
  return space > to - leadLength ? space : afterPair(text, to);
}

/** A position that does not cut a character of two units. */
const afterPair = (text: string, at: number): number =>
  /[\udc00-\udfff]/.test(text.charAt(at)) ? at + 1 : at;

function segmentsOf(text: string, spans: readonly Span[], { start, end }: Span): Segment[] {
  const segments: Segment[] = [];
  let at = start;
  const add = (to: number, match: boolean) => {
    if (to > at) segments.push({ text: text.slice(at, to), match });
    at = to;
  };
  for (const span of spans) {
    add(span.start, false);
    add(span.end, true);
  }
  add(end, false);
  return segments;
}

/**
 * The characters of a word without spaces that are searched for, or of which a pair is; neighbours are one span. `folded` has
 * what is known of characters, since a text has few different ones.
 */
function spansOfRun(
  run: string,
  from: number,
  { stems, folded }: { stems: ReadonlySet<string>; folded: Map<string, string> },
): Span[] {
  const foldOne = (character: string): string => {
    const known = folded.get(character) ?? fold(character);
    folded.set(character, known);
    return known;
  };
  const characters = charactersOf(run).map((one) => ({ length: one.length, folded: foldOne(one) }));
  const spans: Span[] = [];
  let start = from;
  for (const [nth, one] of characters.entries()) {
    const end = start + one.length;
    const before = characters[nth - 1];
    const after = characters[nth + 1];
    const isMatch =
      stems.has(one.folded) ||
      (before !== undefined && stems.has(before.folded + one.folded)) ||
      (after !== undefined && stems.has(one.folded + after.folded));
    const last = spans.at(-1);
    if (isMatch && last?.end === start) last.end = end;
    else if (isMatch) spans.push({ start, end });
    start = end;
  }
  return spans;
}
