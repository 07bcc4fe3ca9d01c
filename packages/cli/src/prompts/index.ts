// What other nouns use of prompts: they import nothing else of this folder.
export * from "./get-prompt.ts";
export * from "./metadata.ts";
export * from "./exposure.ts";
export * from "./proposers.ts";
