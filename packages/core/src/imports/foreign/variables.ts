import { listed, type Json, requiredText, type VariableType, valueProblem } from "../../template/variable.ts";
import { textIn } from "./values.ts";

/** A variable as another tool declares it. */
export interface ForeignVariable {
  /** In the syntax of the text. */
  name: string;
  type?: VariableType;
  description?: unknown;
  /** False alone makes it optional. */
  required?: unknown;
  default?: unknown;
  example?: unknown;
  options?: unknown;
}

const types: Readonly<Record<string, VariableType>> = {
  number: "number",
  integer: "number",
  float: "number",
  boolean: "boolean",
  array: "json",
  object: "json",
  any: "json",
};

/** Our type for one of JSON Schema or of a tool; text for what has none. */
export const typeOf = (name: unknown): VariableType => types[String(name)] ?? "text";

/** The declarations of variables that a text uses, without those that say no more than the text itself. */
export function declare(
  given: readonly ForeignVariable[],
  used: readonly string[],
  nameOf: (foreign: string) => string | undefined,
): { variables: object[]; warnings: string[] } {
  const variables = new Map<string, object>();
  const names = new Set(used);
  const unused: string[] = [];
  for (const variable of given) {
    const name = nameOf(variable.name);
    if (name === undefined || !names.has(name)) unused.push(variable.name);
    else variables.set(name, declarationOf(name, variable));
  }
  return {
    variables: [...variables.values()].filter((one) => Object.keys(one).length > 1),
    warnings:
      unused.length === 0
        ? []
        : [`These variables are left out, since no text has a place for them alone: ${listed(unused)}.`],
  };
}

function declarationOf(name: string, given: ForeignVariable): object {
  const { example } = given;
  const options = optionsOf(given.options);
  const value = (given.default ?? null) as Json;
  const type = fitting(options === undefined ? (given.type ?? "text") : "enum", value, options);
  const description = textIn(given.description);
  return {
    name,
    ...(type === "text" ? {} : { type }),
    ...(type === "enum" ? { options } : {}),
    ...(description === null ? {} : { description }),
    ...(given.required === false ? { required: false } : {}),
    ...(value === null ? {} : { default: value }),
    ...(example === undefined || example === null ? {} : { example }),
  };
}

const optionsOf = (options: unknown): string[] | undefined =>
  Array.isArray(options) && options.length > 0 && new Set(options.map(String)).size === options.length
    ? options.map(String)
    : undefined;

/** The type if the default fits it, else one that takes it. */
function fitting(type: VariableType, value: Json, options: string[] = []): VariableType {
  const fits = (one: VariableType) =>
    value === null || valueProblem({ ...requiredText("x"), type: one, options }, value) === undefined;
  return ([type, "text"] as const).find(fits) ?? "json";
}
