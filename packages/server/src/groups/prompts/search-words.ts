/** How much of a text is read, and how many of its words are indexed: positions in a document end at 16,383. */
const mostCharacters = 65_536;
const mostWords = 10_000;
/** Longer words are keys, digests or encoded images. Nobody searches for them. */
const longestWord = 64;

const word = /[\p{L}\p{N}\p{M}]+/gu;

/**
 * The words of a text for the search index. PostgreSQL's own parser looks for addresses, tags, numbers and compounds. If a text
 * repeats the start of one (`a-1-a-1-…`), its time grows with the square of the length. Short words with spaces between
 * avoid that.
 */
export function searchWords(text: string): string {
  const words = text.slice(0, mostCharacters).match(word) ?? [];
  return words
    .filter(({ length }) => length <= longestWord)
    .slice(0, mostWords)
    .join(" ");
}

/**
 * A search query with the same words as documents, in web-search syntax: it keeps quotes, and hyphens that mean "not".
 */
export const queryWords = (q: string): string =>
  q.replace(/(?<=\S)-|-(?![\p{L}\p{N}"])/gu, " ").replace(/[^\p{L}\p{N}\p{M}"-]+/gu, " ");
