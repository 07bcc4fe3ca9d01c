/** A name as names are compared: without case and accents, by the database's function `folded`, letter for letter. */
export const foldName = (name: string): string =>
  Array.from(name.normalize("NFKD").replace(/[\u0300-\u036f]/g, ""), (letter) => letter.toLowerCase())
    .join("")
    .normalize("NFC");

/** The same as words, by `name_words`: names of characters are short, so that each is a word. */
export const nameWords = (name: string): string =>
  foldName(name).replace(/[\u2e80-\u9fff\uac00-\ud7af]/g, " $& ");

/** The groups of three letters of each word, which begins after two spaces and ends before one, as in `pg_trgm`. */
const trigramsOf = (text: string): string[] =>
  (text.match(/[a-z0-9]+/g) ?? []).flatMap((word) =>
    Array.from({ length: word.length + 1 }, (_, nth) => `  ${word} `.slice(nth, nth + 3)),
  );

/** How much of a text is found in a part of a name: `word_similarity` of `pg_trgm`, which moves both ends of that part. */
export function likeness(text: string, name: string): number {
  const sought = new Set(trigramsOf(text));
  const all = trigramsOf(name);
  /** Where each group stands last, from the beginning of the part on. */
  const lastAt = new Map<string, number>();
  let best = 0;
  let start = -1;
  let common = 0;
  let different = 0;
  const shared = (common: number, different: number) =>
    Math.fround(common / (sought.size + different - common));
  for (const [end, group] of all.entries()) {
    const isSought = sought.has(group);
    if (start < 0 && !isSought) continue;
    if (!lastAt.has(group)) {
      different += 1;
      if (isSought) common += 1;
    }
    lastAt.set(group, end);
    if (!isSought) continue;
    if (start < 0) start = end;
    let most = shared(common, different);
    let [restCommon, restDifferent] = [common, different];
    const before = start;
    for (const [nth, first] of all.slice(before, end + 1).entries()) {
      const rest = shared(restCommon, restDifferent);
      if (rest > most) {
        [most, start, common, different] = [rest, before + nth, restCommon, restDifferent];
      }
      if (lastAt.get(first) !== before + nth) continue;
      restDifferent -= 1;
      if (sought.has(first)) restCommon -= 1;
    }
    best = Math.max(best, most);
    for (const [nth, first] of all.slice(before, start).entries())
      if (lastAt.get(first) === before + nth) lastAt.delete(first);
  }
  return best;
}
