import { placeholders } from "../template/render.ts";
import { replaceVariables } from "./text.ts";

/** In a command, the variable that stands for all that is typed after its name. */
const everything = "args";

const angled = (name: string): string => `<${name}>`;

/**
 * The text of a command for a tool that knows one marker, for all that is typed. A single variable becomes the marker. Several
 * stand as `<name>`, below a line that says in which order they are typed.
 */
export function withOneMarker(body: string, marker: string): string {
  const names = placeholders(body);
  const several = names.filter((name) => name !== everything);
  if (names.length < 2) return replaceVariables(body, () => marker);
  const text = replaceVariables(body, (name) => (name === everything ? marker : angled(name)));
  const lead = `Input, in this order: ${several.map(angled).join(", ")}`;
  return names.includes(everything) ? `${lead}\n\n${text}` : `${lead}\n${marker}\n\n${text}`;
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

/** The text for a tool that fills in nothing: what is typed goes along with it, and the model finds the values there. */
export function withNames(body: string): string {
  const names = placeholders(body);
  const text = replaceVariables(body, angled);
  if (names.length === 0) return text;
  return `Find the values of ${names.map(angled).join(", ")} in the request. Ask for those that are missing.\n\n${text}`;
}

/** The text of standing instructions, where nobody gives values. */
export const withoutValues = (body: string): { text: string; warnings: string[] } => ({
  text: replaceVariables(body, angled),
  warnings:
    placeholders(body).length === 0
      ? []
      : [`Nobody gives values here. The variables stand as ${placeholders(body).map(angled).join(", ")}.`],
});

/** Says that a tool would replace markers which the text already holds. */
export function heldMarkers(body: string, tool: string, pattern: RegExp): string[] {
  const found = pattern.exec(body)?.[0];
  return found === undefined
    ? []
    : [`${tool} replaces ${found}, which stands in the text, by what is typed.`];
}
