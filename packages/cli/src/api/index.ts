// What other nouns use of the API's operations: they import nothing else of this folder.
export * from "./operations.ts";
