import { englishStem } from "./english.ts";

// PostgreSQL's text search, as far as the server uses it: `to_tsvector`, `websearch_to_tsquery`, `@@`, `querytree`, `ts_rank`.

/** What is searched for in place of a word; null for nothing. */
export type Dictionary = (word: string) => string | null;

/** The dictionaries of the configuration `english`: a word with a digit is no English. */
export const english: Dictionary = (word) => (/\d/.test(word) ? word : englishStem(word));
/** Those of the configuration `simple`. */
export const simple: Dictionary = (word) => word;

/** A word's lexeme, and its position among all words. */
interface Lexeme {
  lexeme: string;
  position: number;
}

/** The parser knows numbers such as `1e5` and `-5`, and takes what follows for another word. A hyphen only stands in quotes. */
const tokens = /^-\d+(?:e\d+)?|^\d+e\d+|[^-\s]+/gu;

const lexemesOf = (text: string, dictionary: Dictionary): Lexeme[] =>
  text
    .split(/\s+/)
    .flatMap((word) => word.match(tokens) ?? [])
    .flatMap((token, nth) => {
      const lexeme = dictionary(token);
      return lexeme === null ? [] : [{ lexeme, position: nth + 1 }];
    });

/** Where a lexeme stands in a document, and the weight there: of A, B, C or D. */
interface Place {
  position: number;
  weight: number;
}

/** The lexemes of a text with their places. */
export type Document = ReadonlyMap<string, readonly Place[]>;

const weights = { A: 1, B: Math.fround(0.4), C: Math.fround(0.2), D: Math.fround(0.1) };
/** How many places of a lexeme are stored of one text, and of all that are joined. */
const mostPlaces = 255;
const mostJoined = 256;

/** The document of texts with their weights. Each text begins after the last lexeme of the one before. */
export function documentOf(
  texts: readonly [weight: keyof typeof weights, text: string][],
  dictionary: Dictionary,
): Document {
  const document = new Map<string, Place[]>();
  let start = 0;
  for (const [weight, text] of texts) {
    const lexemes = lexemesOf(text, dictionary);
    const seen = new Map<string, number>();
    for (const { lexeme, position } of lexemes) {
      const places = document.get(lexeme) ?? [];
      const count = (seen.get(lexeme) ?? 0) + 1;
      if (count <= mostPlaces && places.length < mostJoined)
        places.push({ position: start + position, weight: weights[weight] });
      seen.set(lexeme, count);
      document.set(lexeme, places);
    }
    start += lexemes.at(-1)?.position ?? 0;
  }
  return document;
}

/** Lexemes at these distances from each other: a word, or a phrase. */
interface Term {
  isNot: boolean;
  phrase: Lexeme[];
}

/** One of these has to match, with all of its terms. */
export type Query = readonly (readonly Term[])[];

/** Needs something behind it. PostgreSQL does not take letters beyond ASCII for a part of the word. */
const or = /^or(?![-\w]).\s*\S/su;
const operand = /^(?:-|"([^"]*)"?|([^\s"]+))/;

/** Reads a query in web-search syntax. What has no lexeme is left out, and what only excludes finds nothing. */
export function parseQuery(q: string, dictionary: Dictionary): Query {
  const query: Term[][] = [[]];
  let isNot = false;
  let isAfterTerm = false;
  for (let rest = q.trim(); rest !== ""; rest = rest.trimStart()) {
    const isOr: boolean = isAfterTerm && or.test(rest);
    const [read = "or", quoted, word = ""]: Partial<string[]> = isOr ? [] : (operand.exec(rest) ?? []);
    rest = rest.slice(read.length);
    isAfterTerm = !isOr && read !== "-";
    if (isOr) query.push([]);
    if (isAfterTerm) {
      const phrase = lexemesOf(quoted ?? word, dictionary);
      if (phrase.length > 0) query.at(-1)?.push({ isNot, phrase });
    }
    isNot = read === "-";
  }
  const filled = query.filter((terms) => terms.length > 0);
  return filled.every((terms) => terms.some((term) => !term.isNot)) ? filled : [];
}

/** The lexemes that a query does not exclude. */
export const wantedLexemes = (query: Query): string[] =>
  query.flat().flatMap(({ isNot, phrase }) => (isNot ? [] : phrase.map(({ lexeme }) => lexeme)));

/** Whether a query finds a document. */
export const matches = (document: Document, query: Query): boolean =>
  query.some((terms) => terms.every(({ isNot, phrase }) => hasPhrase(document, phrase) !== isNot));

const hasPhrase = (document: Document, [first, ...others]: readonly Lexeme[]): boolean =>
  first !== undefined &&
  (document.get(first.lexeme) ?? []).some(({ position }) =>
    others.every((other) =>
      document.get(other.lexeme)?.some((one) => one.position - position === other.position - first.position),
    ),
  );

/** PostgreSQL ranks in numbers of 32 bits. */
const float = Math.fround;

/** How well a document that is found fits a query. */
export function rankOf(document: Document, query: Query): number {
  const all = query.flat().flatMap(({ phrase }) => phrase.map(({ lexeme }) => lexeme));
  const lexemes = [...new Set(all)].sort();
  const places = lexemes.map((lexeme) => document.get(lexeme) ?? []);
  return query.length === 1 && lexemes.length > 1 ? rankTogether(places) : rankApart(places);
}

/** For words of which one is enough: the mean of how often each stands there, and with which weight. */
function rankApart(lexemes: readonly (readonly Place[])[]): number {
  let rank = 0;
  for (const places of lexemes) {
    if (places.length === 0) continue;
    const parts = places.map(({ weight }, nth) => float(weight / (nth + 1) ** 2));
    const best = Math.max(...places.map(({ weight }) => weight));
    const ofBest = parts[places.findIndex(({ weight }) => weight === best)] ?? 0;
    const sum = parts.reduce((sum, part) => float(sum + part), 0);
    rank = float(rank + float(float(best + sum) - ofBest) / 1.64493406685);
  }
  return float(rank / lexemes.length);
}

/** For words that all have to be there: how near to each other they are, for each pair of places. */
function rankTogether(lexemes: readonly (readonly Place[])[]): number {
  let rank = -1;
  for (const [nth, places] of lexemes.entries())
    for (const others of lexemes.slice(0, nth))
      for (const place of places)
        for (const other of others) {
          if (place.position === other.position) continue;
          const near = nearness(Math.abs(place.position - other.position));
          const one = float(Math.sqrt(float(float(place.weight * other.weight) * near)));
          rank = rank < 0 ? one : float(1 - (1 - rank) * (1 - one));
        }
  return rank < 0 ? float(1e-20) : rank;
}

const nearness = (distance: number): number =>
  float(distance > 100 ? 1e-30 : 1 / (1.005 + 0.05 * Math.exp(distance / 1.5 - 2)));
