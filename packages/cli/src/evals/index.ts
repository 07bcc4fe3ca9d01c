// What other nouns use of evals: they import nothing else of this folder.
export * from "./gate.ts";
export * from "./evidence.ts";
export { forLog } from "./github.ts";
