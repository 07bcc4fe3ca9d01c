/** What search does in the process, for the server and the light registry for tests. */
export { calm, excerpt, highlight, likelyWords, type Read, read } from "./highlight.ts";
export { isTooFew, leastLikeness, mixed, mostSuggested } from "./suggestions.ts";
export { entryBytes, type FoundTexts, highlightsOf, readTexts } from "./texts.ts";
export { queryWords, searchWords, wordsOfQuery } from "./words.ts";
