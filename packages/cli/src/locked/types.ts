import type { LockedPrompt } from "@promptreg/client";
import { parseRef } from "@promptreg/core/refs";
import { usedIn, type Variable } from "@promptreg/core/template";
import { InputError } from "../errors.ts";
import type { Prompts } from "./lockfile.ts";
import { isObject } from "../terminal/objects.ts";

/**
 * Prints what TypeScript is to know of locked prompts. What does not change what fits, such as the number of the
 * version, is not in it: a file that was checked in stays as it is then.
 */
export function printTypes(prompts: Prompts, isStrict: boolean): string {
  const entries = Object.entries(prompts)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([ref, prompt]) => indent(`${JSON.stringify(ref)}: ${printPrompt(ref, prompt)};`, "    "));
  return `// Written by \`promptreg codegen\`, which overwrites it. Commit it with the lockfile.
import "@promptreg/client";

declare module "@promptreg/client" {
  interface LockedPrompts {
${entries.join("\n")}
  }
${isStrict ? `\n  interface PromptTypes {\n    strict: true;\n  }\n` : ""}}
`;
}

function printPrompt(ref: string, prompt: LockedPrompt): string {
  const used = readUsed(prompt);
  const fields = prompt.variables.map((variable) =>
    indent(printVariable(variable, used.names.includes(variable.name)), "    "),
  );
  const values = fields.length === 0 ? "Record<string, never>" : `{\n${fields.join("\n")}\n  }`;
  const places = used.places.map((name) => JSON.stringify(name));
  const config = Object.keys(prompt.config).length > 0 ? printJson(prompt.config, isFixed(ref)) : undefined;
  return [
    `{\n  values: ${values};\n`,
    places.length === 0 ? "" : `  messages: ${places.join(" | ")};\n`,
    config === undefined ? "" : `  config: ${config};\n`,
    "}",
  ].join("");
}

/** What is at a version never changes; where a label moves, the next one may say something else, or nothing. */
const isFixed = (ref: string): boolean => parseRef(ref).version !== undefined;

/** The type of what a config holds: of a value that never changes, the value itself. */
function printJson(value: unknown, isFixed: boolean): string {
  const print = (item: unknown) => printJson(item, isFixed);
  if (Array.isArray(value))
    return isFixed
      ? `readonly [${value.map(print).join(", ")}]`
      : `ReadonlyArray<${[...new Set(value.map(print))].join(" | ") || "unknown"}>`;
  if (isObject(value)) {
    const fields = Object.keys(value)
      .sort()
      .map((name) => `readonly ${propertyOf(name)}${isFixed ? "" : "?"}: ${print(value[name])}`);
    return fields.length === 0 ? "{}" : `{ ${fields.join("; ")} }`;
  }
  if (isFixed) return literalOf(value);
  return value === null ? "unknown" : typeof value;
}

/** Printed so that no line of TypeScript ends within it. */
const literalOf = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16)}`);

function printVariable(variable: Variable, isUsed: boolean): string {
  const { name, required, default: standIn, description } = variable;
  const isOptional = !isUsed || !required || standIn !== null;
  const documentation = [
    ...(description?.trim().split(/\r?\n/) ?? []),
    ...(standIn === null ? [] : [`@default ${JSON.stringify(standIn)}`]),
  ];
  return `${printComment(documentation)}${propertyOf(name)}${isOptional ? "?" : ""}: ${typeOf(variable)};`;
}

/** Numbers and booleans as such, though rendering takes their text too: who writes a program has them. */
function typeOf({ type, options = [] }: Variable): string {
  if (type === "enum") return options.map(literalOf).join(" | ") || "never";
  if (type === "json") return "unknown";
  return type === "number" || type === "boolean" ? type : "string";
}

function readUsed(prompt: LockedPrompt): ReturnType<typeof usedIn> {
  try {
    return usedIn(prompt);
  } catch {
    throw new InputError(
      `The ${prompt.entry} of a prompt in the lockfile cannot be read. \`promptreg verify\` shows which.`,
    );
  }
}

const propertyOf = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : literalOf(name));

/** What others wrote must not end the comment. */
function printComment(lines: readonly string[]): string {
  const [only] = lines;
  if (only === undefined) return "";
  const safe = lines.map((line) => line.replaceAll("*/", "*\\/").replace(/[\p{Cc}\u2028\u2029]/gu, " "));
  if (lines.length === 1) return `/** ${safe[0]} */\n`;
  return `/**\n${safe.map((line) => ` * ${line}`.trimEnd()).join("\n")}\n */\n`;
}

const indent = (text: string, by: string): string => text.replace(/^(?=.)/gm, by);
