// Loaded when an answer is drawn: the contract brings zod along.
import { contract, listOperations, mediaList, type Schema } from "@promptreg/core";

/** The schema of what an operation answers as JSON; undefined where it answers with something else, or nothing. */
export function resultSchema(id: string): Schema<unknown> | undefined {
  const found = listOperations(contract).find((one) => one.id === id);
  return Object.values(found?.operation.results ?? {})
    .flatMap((media) => mediaList(media))
    .flatMap((medium) => (medium.kind === "json" ? [medium.schema as Schema<unknown>] : []))[0];
}
