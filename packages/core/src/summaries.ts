/** The documentation of operations and schemas. It is long, so only code that shows it loads it. */
export { schemaNotes, summaries } from "./generated/summaries.ts";
export { manifestSchema } from "./groups/prompts/manifest-schema.ts";
export type { OperationNotes, SchemaNotes } from "./operations/notes.ts";
