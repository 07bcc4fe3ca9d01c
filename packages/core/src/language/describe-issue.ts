// As for operations: programs read the declarations without zod.
/** @ts-ignore */
import type * as z from "zod";

const types: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

/** The message for an invalid value whose schema has none: the end of a sentence that begins with the path. */
export const describeIssue: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is missing" : `must be ${types[issue.expected] ?? issue.expected}`;
    case "too_small":
      return sizeProblem("least", issue, Number(issue.minimum));
    case "too_big":
      return sizeProblem("most", issue, Number(issue.maximum)) + lengthOf(issue.input);
    case "invalid_value":
      return `must be ${issue.values.length > 1 ? "one of: " : ""}${issue.values.join(", ")}`;
    case "invalid_format":
      return "does not have the form that it must have";
    case "invalid_union":
      return formsOf(issue.errors.flat());
    case "unrecognized_keys":
      return `must not have ${namesOf(issue.keys)}`;
    default:
      return "is not what it must be";
  }
};

/** What is wrong with a value of several forms, if all forms say the same: a field that can be repeated is one, or a list. */
function formsOf(issues: readonly z.core.$ZodIssue[]): string {
  const isList = (issue: z.core.$ZodIssue) => issue.code === "invalid_type" && issue.expected === "array";
  const [first, ...others] = new Set(issues.filter((issue) => !isList(issue)).map(({ message }) => message));
  return first === undefined || others.length > 0 ? "has none of the forms that it can have" : first;
}

/** Names a few keys, and cuts a long one. */
const namesOf = (keys: readonly string[]): string =>
  keys
    .slice(0, 5)
    .map((key) => key.slice(0, 100).toWellFormed())
    .join(", ");

const lengthOf = (input: unknown) =>
  typeof input === "string" || Array.isArray(input) ? `, and has ${input.length}` : "";

function sizeProblem(
  end: "least" | "most",
  { origin, inclusive = true }: { origin: string; inclusive?: boolean | undefined },
  size: number,
): string {
  const isLength = origin === "string" || origin === "array";
  const direction = end === "least" ? "more" : "less";
  if (!isLength) return inclusive ? `must be ${size} or ${direction}` : `must be ${direction} than ${size}`;
  if (end === "least" && size === 1) return "must not be empty";
  const unit = origin === "string" ? "character" : "item";
  return `must have at ${end} ${size} ${unit}${size === 1 ? "" : "s"}`;
}
