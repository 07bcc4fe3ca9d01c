import { UsageError } from "../errors.ts";

/** Reads what `--var` was given. */
export const readPairs = (given: readonly string[]): (readonly [name: string, value: string])[] =>
  given.map((text) => {
    const at = text.indexOf("=");
    if (at < 1) throw new UsageError(`Write --var name=value, not ${text}.`);
    return [text.slice(0, at), text.slice(at + 1)];
  });
