import { UsageError } from "../errors.ts";
import type { Context } from "../settings/context.ts";
import { readInput } from "../terminal/read-input.ts";

/** How the text of a change request is given. */
export interface BodyOptions {
  body?: string;
  bodyFile?: string;
}

/** Reads the text of a change request; undefined if none is given. */
export async function readBody(
  context: Pick<Context, "stdin">,
  { body, bodyFile }: BodyOptions,
): Promise<string | undefined> {
  if (body !== undefined && bodyFile !== undefined)
    throw new UsageError("Give --body or --body-file, not both.");
  // The getter opens standard input, so it is read only if it is meant.
  return bodyFile === undefined ? body : (await readInput(bodyFile, context.stdin)).trim();
}
