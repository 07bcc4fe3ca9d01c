/** So much of a text is looked at, and so many words of it are kept: positions in a document end at 16,383. */
const mostCharacters = 65_536;
const mostWords = 10_000;
/** What is longer is a key, a digest or an image in letters, and nothing that anybody looks for. */
const longestWord = 64;

const word = /[\p{L}\p{N}\p{M}]+/gu;

/**
 * The words of a text, as search takes them in. PostgreSQL's own parser looks for addresses, tags, numbers and compounds,
 * and spends time that grows with the square of whatever begins like one again and again (`a-1-a-1-…`): shown nothing
 * but short words with spaces between, it has nothing to look for.
 */
export function searchWords(text: string): string {
  const words = text.slice(0, mostCharacters).match(word) ?? [];
  return words
    .filter(({ length }) => length <= longestWord)
    .slice(0, mostWords)
    .join(" ");
}

/**
 * What people typed, in words as documents hold them and in web-search syntax: quotes stay, and the hyphens that say
 * "not" of what follows.
 */
export const queryWords = (q: string): string =>
  q.replace(/(?<=\S)-|-(?![\p{L}\p{N}"])/gu, " ").replace(/[^\p{L}\p{N}\p{M}"-]+/gu, " ");
