/** How much of a text is read, and how many of its words are indexed: positions in a document end at 16,383. */
const mostCharacters = 65_536;
const mostWords = 10_000;
/** Longer words are keys, digests or encoded images. Nobody searches for them. */
const longestWord = 64;
/** How many different characters of texts without spaces are indexed by themselves. */
const mostSingles = 4_000;

const word = /[\p{L}\p{N}\p{M}]+/gu;
const scripts = ["Han", "Hira", "Kana", "Hang", "Thai", "Laoo", "Khmr", "Mymr"];
const ofUnspaced = `[${scripts.map((script) => `\\p{scx=${script}}`).join("")}]`;
/** A run of a script that is written without spaces, or whose words carry endings (Korean). */
const unspaced = new RegExp(`(?:(?=${ofUnspaced})\\p{L}\\p{M}*)+`, "gu");
const oneUnspaced = new RegExp(`(?=${ofUnspaced})\\p{L}`, "u");
const character = /\P{M}\p{M}*/gu;

const letters: Record<string, string> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  þ: "th",
  ł: "l",
  ħ: "h",
  ı: "i",
};

/** A text as words are compared: without case and accents. In the process, since databases differ in their locales. */
export const fold = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .normalize("NFC")
    .replace(/[ßæœøđðþłħı]/g, (letter) => letters[letter] ?? letter);

/**
 * The words of a text for the search index. PostgreSQL's own parser looks for addresses, tags, numbers and compounds. If a text
 * repeats the start of one (`a-1-a-1-…`), its time grows with the square of the length. Short words with spaces between
 * avoid that. A text without spaces gives its pairs of characters, and each character once, behind all words.
 */
export function searchWords(text: string): string {
  const read = fold(text.slice(0, mostCharacters)).slice(0, mostCharacters);
  const singles = new Set<string>();
  const words = (spaced(read, (run) => pairs(run, singles)).match(word) ?? []).filter(
    ({ length }) => length <= longestWord,
  );
  return [...words.slice(0, mostWords), ...[...singles].slice(0, mostSingles)].join(" ");
}

/**
 * A search query with the same words as documents, in web-search syntax: it keeps quotes, and hyphens that mean "not". A run
 * without spaces becomes a phrase of its pairs.
 */
export const queryWords = (q: string): string =>
  wordsOfQuery(fold(q))
    .split(/(-?"[^"]*"?)/)
    .map((part) => spaced(part, (run) => (part.includes('"') ? pairs(run) : `"${pairs(run)}"`)))
    .join("")
    // What stood before a run without spaces would otherwise be part of its phrase's quote.
    .replace(/- +"/g, '-"');

/** A search query without signs that mean nothing in it. */
export const wordsOfQuery = (q: string): string =>
  q.replace(/(?<=\S)-|-(?![\p{L}\p{N}"])/gu, " ").replace(/[^\p{L}\p{N}\p{M}"-]+/gu, " ");

/** The characters of a word with the marks that belong to them. */
export const charactersOf = (text: string): string[] => text.match(character) ?? [];

/** Whether a word is of a script without spaces, and so indexed by its pairs. */
export const isUnspaced = (text: string): boolean => oneUnspaced.test(text);

const spaced = (text: string, print: (run: string) => string): string =>
  text.replace(unspaced, (run) => ` ${print(run)} `);

function pairs(run: string, singles = new Set<string>()): string {
  const all = charactersOf(run);
  if (all.length < 2) return run;
  for (const one of all) singles.add(one);
  return all
    .slice(1)
    .map((one, nth) => `${all[nth]}${one}`)
    .join(" ");
}
