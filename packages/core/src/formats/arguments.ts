import { placeholders } from "../template/render.ts";
import { printValue, type Variable } from "../template/variable.ts";
import type { FormatPrompt } from "./format.ts";
import { oneLine, replaceVariables } from "./text.ts";

/** In a command, the variable that stands for all that is typed after its name. */
const everything = "args";

const angled = (name: string): string => `<${name}>`;

/**
 * The text of a command for a tool that knows one marker, for all that is typed. A single variable becomes the marker. Several,
 * or one with a default or options, stand as `<name>`, below a line that says in which order they are typed.
 */
export function withOneMarker({ body, version: { variables } }: FormatPrompt, marker: string): string {
  const names = placeholders(body);
  const several = names.filter((name) => name !== everything);
  const list = several.map((name) => explained(name, variables));
  if (names.length < 2 && list.every((one, index) => one === angled(several[index]!)))
    return replaceVariables(body, () => marker);
  const text = replaceVariables(body, (name) => (name === everything ? marker : angled(name)));
  const lead = `Input, in this order: ${list.join(", ")}`;
  return names.includes(everything) ? `${lead}\n\n${text}` : `${lead}\n${marker}\n\n${text}`;
}

const position = /^arg(?:_([1-9])|uments_(\d{1,2}))$/;

/**
 * The text of a command whose arguments all came as positions: `$2` for `{{arg_2}}`, and for `{{arguments_0}}` what `markOf` gives. Undefined
 * if it has none, or others too.
 */
export function withPositions(
  { body, version: { variables } }: FormatPrompt,
  markOf = (index: number): string => `$${index + 1}`,
): string | undefined {
  const names = placeholders(body).filter((name) => name !== everything);
  const isPosition = (name: string) => position.test(name) && explained(name, variables) === angled(name);
  if (names.length === 0 || !names.every(isPosition)) return undefined;
  return replaceVariables(body, (name) => {
    const [, number, index] = position.exec(name) ?? [];
    if (index !== undefined) return markOf(Number(index));
    return number === undefined ? "$ARGUMENTS" : `$${number}`;
  });
}

/** The text of a command for a tool with a marker for each argument. A single variable is all that is typed. */
export function withMarkers(
  body: string,
  marker: string,
  mark: (name: string, index: number) => string,
): string {
  const names = placeholders(body);
  const several = names.filter((name) => name !== everything);
  return replaceVariables(body, (name) =>
    names.length === 1 || name === everything ? marker : mark(name, several.indexOf(name)),
  );
}

/** A variable with what can be said of its values: `<tone> (calm or brief, otherwise calm)`. */
function explained(name: string, variables: readonly Variable[]): string {
  const variable = variables.find((one) => one.name === name);
  const about = [
    ...(variable?.options ? [variable.options.join(" or ")] : []),
    ...(variable && variable.default !== null
      ? [`otherwise ${printValue(variable.type, variable.default)}`]
      : []),
  ];
  return about.length === 0 ? angled(name) : `${angled(name)} (${oneLine(about.join(", "))})`;
}

/** The text for a tool that fills in nothing: what is typed goes along with it, and the model finds the values there. */
export function withNames({ body, version: { variables } }: FormatPrompt): string {
  const names = placeholders(body);
  const text = replaceVariables(body, angled);
  if (names.length === 0) return text;
  const list = names.map((name) => explained(name, variables)).join(", ");
  return `Find the values of ${list} in the request. Ask for those that are missing and have no default.\n\n${text}`;
}

/** The names of variables with their defaults, as they are printed. */
export const defaultsOf = ({ version }: FormatPrompt): [name: string, text: string][] =>
  version.variables.flatMap(({ name, type, default: value }) =>
    value === null ? [] : [[name, printValue(type, value) ?? ""]],
  );

/** The text of standing instructions, where nobody gives values: defaults are filled in. */
export function withoutValues(prompt: FormatPrompt): { text: string; warnings: string[] } {
  const { body } = prompt;
  const defaults = new Map(defaultsOf(prompt));
  const left = placeholders(body).filter((name) => !defaults.has(name));
  return {
    text: replaceVariables(body, (name) => defaults.get(name) ?? angled(name)),
    warnings:
      left.length === 0
        ? []
        : [`This format has no arguments. The text shows ${left.map(angled).join(", ")} instead of values.`],
  };
}

/** Says that a tool would replace markers which the text already holds. */
export function heldMarkers(body: string, tool: string, pattern: RegExp): string[] {
  const found = pattern.exec(body)?.[0];
  return found === undefined ? [] : [`The text contains ${found}. ${tool} replaces it by the arguments.`];
}
