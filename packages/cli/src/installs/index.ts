// What other nouns use of installs: they import nothing else of this folder.
export * from "./place.ts";
export { readRecord } from "./record.ts";
