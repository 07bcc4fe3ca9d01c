/** The documentation of operations and schemas, for whatever shows it. It is long, so nothing else loads it. */
export { schemaNotes, summaries } from "./generated/summaries.ts";
export { manifestSchema } from "./groups/prompts/manifest-schema.ts";
export type { OperationNotes, SchemaNotes } from "./notes.ts";
