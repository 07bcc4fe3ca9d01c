import * as z from "zod";
import { describeIssue } from "../language/describe-issue.ts";
import type { Json } from "../template/variable.ts";

/** A hostile file can break a rule ten thousand times, and nobody reads more than these. */
const maxLines = 10;

/** The issues of a schema, a line each. A line begins with the path below `at`: `config.temperature: must be 0 or more`. */
export function issueLines(error: z.ZodError, at = ""): string[] {
  return error.issues.slice(0, maxLines).map(({ path, message }) => {
    const place = [...(at === "" ? [] : [at]), ...path.map(String)].join(".");
    return place === "" ? message : `${place}: ${message}`;
  });
}

/** A list that is checked up to its first invalid item: a hostile list can have a hundred thousand. */
export const arrayOf = <T>(item: z.ZodType<T>, { min = 0 } = {}): z.ZodType<T[]> =>
  z
    .array(z.unknown())
    .min(min)
    .transform((items, context) => {
      const list: T[] = [];
      for (const [index, one] of items.entries()) {
        const parsed = item.safeParse(one, { error: describeIssue });
        if (!parsed.success) {
          for (const { path, message } of parsed.error.issues)
            context.addIssue({ code: "custom", path: [index, ...path], message });
          return z.NEVER;
        }
        list.push(parsed.data);
      }
      return list;
    });

/** Where the registry has what other tools call so. */
const elsewhere: Readonly<Record<string, string>> = { name: "title", title: "title", description: "summary" };

/** Of an entry file it also says which of those keys belong into the manifest. */
export function unknownEntryKeys(shape: object, value: Json | undefined, at: string): string | undefined {
  const said = unknownKeys(shape, value, at);
  const moved = Object.keys(elsewhere).filter(
    (key) => Object.hasOwn(Object(value), key) && !Object.hasOwn(shape, key),
  );
  if (said === undefined || moved.length === 0) return said;
  const places = moved.map((key) => `${key} as ${JSON.stringify(elsewhere[key])}`);
  return `${said} Write ${places.join(", and ")} in promptreg.json.`;
}

/** Names the keys of an object that its schema does not know; undefined if it knows all. */
export function unknownKeys(shape: object, value: Json | undefined, at: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(shape, key));
  if (unknown.length === 0) return undefined;
  const named = unknown.slice(0, maxLines).map((key) => JSON.stringify(key.slice(0, 64)));
  const rest = unknown.length > maxLines ? ` and ${unknown.length - maxLines} more` : "";
  return `${at} has keys that the registry does not know: ${named.join(", ")}${rest}. They stay in the file, and have no effect.`;
}
