/** Any JSON value. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** The types of variables. The type decides which values fit and how they print. */
export const variableTypes = ["text", "multiline", "number", "boolean", "enum", "json"] as const;
/** One of `variableTypes`. */
export type VariableType = (typeof variableTypes)[number];

/** A variable of a prompt. */
export interface Variable {
  /** A letter or `_`, then letters, digits and `_`: at most 64 characters. */
  name: string;
  /** `multiline` is text that needs a larger field. `json` accepts any value and prints it compactly. */
  type: VariableType;
  /** For the person who fills it in. */
  description?: string;
  /** Whether rendering fails without a value from the caller or from `default`. */
  required: boolean;
  /** Used when no value is given. Null: there is no default. */
  default: Json;
  /** The values that an `enum` takes. */
  options?: string[];
  /** The minimum length of a text in UTF-16 units. */
  minLength?: number;
  /** The maximum length of a text in UTF-16 units. */
  maxLength?: number;
  /** The least number, itself allowed. */
  min?: number;
  /** The greatest number allowed. */
  max?: number;
  /** Only shown to the person who fills it in. */
  example?: Json;
}

/** The variable of an undeclared placeholder. */
export const requiredText = (name: string): Variable => ({
  name,
  type: "text",
  required: true,
  default: null,
});

/**
 * Says how a value breaks a variable's rules, as the end of a sentence that begins with its name. Numbers and booleans may
 * also be text, as in forms, CSV files and command lines.
 */
export const valueProblem = (variable: Variable, value: unknown): string | undefined =>
  problemOf(variable, value, printValue(variable.type, value));

/** The same for a value that is already printed. */
export function problemOf(variable: Variable, value: unknown, text: string | undefined): string | undefined {
  const { type, options = [], minLength = 0, maxLength = Infinity } = variable;
  if (text === undefined) return "has no text form";
  switch (type) {
    case "json":
      return undefined;
    case "number":
      return numberProblem(variable, text);
    case "boolean":
      return text === "true" || text === "false" ? undefined : "must be true or false";
    case "enum":
      return options.includes(text) ? undefined : `must be one of: ${listed(options)}`;
    default:
      if (typeof value === "object") return "must be text";
      if (text.length < minLength) return `must have at least ${minLength} characters`;
      return text.length > maxLength ? `must have at most ${maxLength} characters` : undefined;
  }
}

/** Lists names in a sentence, ten at most. */
export const listed = (names: readonly string[], separator = ", "): string =>
  names.slice(0, 10).join(separator) + (names.length > 10 ? ` and ${names.length - 10} more` : "");

const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

function numberProblem({ min = -Infinity, max = Infinity }: Variable, text: string): string | undefined {
  const number = jsonNumber.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(number)) return "must be a number";
  if (number < min) return `must be at least ${min}`;
  return number > max ? `must be at most ${max}` : undefined;
}

/** Prints a value for the result; undefined if it has no text form, such as a function or NaN. */
export function printValue(type: VariableType, value: unknown): string | undefined {
  if (typeof value === "string" && type !== "json") return value;
  if (typeof value === "number" && !Number.isFinite(value)) return undefined;
  if (typeof value === "bigint") return String(value);
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
