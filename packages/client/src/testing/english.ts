import { stem } from "porter2";

/** The words of `english.stop` of PostgreSQL, which its search leaves out. */
const stopWords = new Set(
  (
    "i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its " +
    "itself they them their theirs themselves what which who whom this that these those am is are was were be been being have " +
    "has had having do does did doing a an the and but if or because as until while of at by for with about against between " +
    "into through during before after above below to from up down in out on off over under again further then once here there " +
    "when where why how all any both each few more most other some such no nor not only own same so than too very s t can " +
    "will just don should now"
  ).split(" "),
);

/** PostgreSQL 18 keeps the double letter of such short words as `added`; earlier ones and the library do not. */
const shortDouble = /^([aeo]([bdfgmnprt])\2)(?:ed|ing)(?:ly)?s?$/;

/** The stem of a word by PostgreSQL's `english_stem`; null for a stop word. */
export const englishStem = (word: string): string | null =>
  stopWords.has(word) ? null : (shortDouble.exec(word)?.[1] ?? stem(word));
