import type { Segment } from "@promptreg/core";
import { charactersOf, fold, isUnspaced } from "../prompts/index.ts";

/** About how long an excerpt is, and how much of it comes before the first match. */
const excerptLength = 200;
const leadLength = 60;

const word = /[\p{L}\p{N}\p{M}]+/gu;
const plain = /^[ -~]*$/;
/** What breaks lines, commands a terminal or turns the text around it: in an excerpt all of it is a space. */
const unfit = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\s]+/gu;

const foldWord = (text: string): string => (plain.test(text) ? text.toLowerCase() : fold(text));

/** The different words of texts that may have one of the stems: they begin alike. The database knows which of them do. */
export function likelyWords(texts: readonly string[], stems: readonly string[]): string[] {
  const firsts = new Set(stems.map((stem) => stem.charAt(0)));
  const found = new Set<string>();
  for (const text of texts) {
    for (const [one] of text.matchAll(word)) {
      if (one.length > 64) continue;
      const folded = foldWord(one);
      if (firsts.has(folded.charAt(0))) found.add(folded);
    }
  }
  return [...found];
}

/** Which words match, folded, and which stems are searched for: of texts without spaces those are pairs of characters. */
export interface Sought {
  words: ReadonlySet<string>;
  stems: ReadonlySet<string>;
}

interface Span {
  start: number;
  end: number;
}

/** A text in segments; undefined if nothing in it matches. */
export function highlight(text: string, sought: Sought): Segment[] | undefined {
  const spans = spansOf(text, sought);
  return spans.length === 0 ? undefined : segmentsOf(text, spans, { start: 0, end: text.length });
}

/** The part of a long text around its first match, in segments; undefined if nothing in it matches. */
export function excerpt(text: string, sought: Sought): Segment[] | undefined {
  const calm = text.replace(unfit, " ").trim();
  const spans = spansOf(calm, sought);
  const [first] = spans;
  if (first === undefined) return undefined;
  const start = first.start <= leadLength ? 0 : wordAfter(calm, first.start - leadLength, first.start);
  const end = Math.max(first.end, wordBefore(calm, start + excerptLength));
  const inside = spans.filter((span) => span.end <= end);
  const segments = segmentsOf(calm, inside, { start, end });
  if (start > 0) segments.unshift({ text: "…", match: false });
  if (end < calm.length) segments.push({ text: "…", match: false });
  return segments;
}

/** The start of the next word, so that no word is cut. */
function wordAfter(text: string, from: number, most: number): number {
  const space = text.indexOf(" ", from);
  return space >= 0 && space < most ? space + 1 : afterPair(text, from);
}

function wordBefore(text: string, to: number): number {
  if (to >= text.length) return text.length;
  const space = text.lastIndexOf(" ", to);
  return space > to - leadLength ? space : afterPair(text, to);
}

/** A position that does not cut a character of two units. */
const afterPair = (text: string, at: number): number =>
  /^[\udc00-\udfff]/.test(text.slice(at)) ? at + 1 : at;

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

function spansOf(text: string, sought: Sought): Span[] {
  const spans: Span[] = [];
  for (const { 0: one, index } of text.matchAll(word)) {
    if (isUnspaced(one)) spans.push(...spansOfRun(one, index, sought.stems));
    else if (sought.words.has(foldWord(one))) spans.push({ start: index, end: index + one.length });
  }
  return spans;
}

/** The characters of a word without spaces that are searched for, or of which a pair is; neighbours are one span. */
function spansOfRun(run: string, from: number, stems: ReadonlySet<string>): Span[] {
  const spans: Span[] = [];
  const characters = charactersOf(run);
  const folded = characters.map(fold);
  let start = from;
  for (const [nth, one] of characters.entries()) {
    const end = start + one.length;
    const isMatch = [folded[nth], pairAt(folded, nth), pairAt(folded, nth - 1)].some(
      (stem) => stem !== undefined && stems.has(stem),
    );
    const last = spans.at(-1);
    if (isMatch && last?.end === start) last.end = end;
    else if (isMatch) spans.push({ start, end });
    start = end;
  }
  return spans;
}

const pairAt = (characters: readonly string[], nth: number): string | undefined =>
  characters[nth] !== undefined && characters[nth + 1] !== undefined
    ? `${characters[nth]}${characters[nth + 1]}`
    : undefined;
