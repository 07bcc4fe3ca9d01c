import { listed, printValue, problemOf, requiredText, type Variable } from "./variable.ts";

/** A `\{{`, which prints `{{`, or a placeholder. Its parts exclude each other, so scans are linear. */
const token = /\\\{\{|\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]{0,63})[ \t]*\}\}/g;

/** More than any model reads. Without a limit, short templates could repeat long values without end. */
const maxRenderedLength = 16 * 1024 * 1024;

/** Values by name. Null and undefined count as missing. */
export type Values = Readonly<Record<string, unknown>>;

/** Options of rendering. */
export interface RenderOptions {
  /**
   * Whether missing, unknown and invalid values are errors. Default: true. If false, a placeholder without a value stays as
   * `{{name}}` and is listed in `missing`, unknown names are ignored, and no value is checked.
   */
  strict?: boolean;
}

/** A filled template. */
export interface Rendered {
  text: string;
  /** Placeholders without a value; always empty if strict. */
  missing: string[];
}

/** The names with errors. */
export interface Faults {
  /** Required, and not given. */
  missing: string[];
  /** Given, but neither declared nor used. */
  unknown: string[];
  /** Given, but against the variable's rules. `problem` is the end of a sentence that begins with the name. */
  invalid: { name: string; problem: string }[];
}

/** Why a prompt cannot be rendered. The message never contains values, which may be secret. */
export class RenderError extends Error implements Faults {
  override readonly name = "RenderError";
  /**
   * Of values that do not fit: `missing_variables` if one is missing, else `unknown_variables`, else `invalid_values`; the message
   * names all. The other codes are problems of the version or the result.
   */
  readonly code:
    | "missing_variables"
    | "unknown_variables"
    | "invalid_values"
    | "invalid_entry"
    | "payload_too_large";
  readonly missing: Faults["missing"];
  readonly unknown: Faults["unknown"];
  readonly invalid: Faults["invalid"];

  constructor(code: RenderError["code"], message: string, faults?: Faults) {
    super(message);
    this.code = code;
    this.missing = faults?.missing ?? [];
    this.unknown = faults?.unknown ?? [];
    this.invalid = faults?.invalid ?? [];
  }
}

/** A placeholder: its name, and its text with the braces. */
interface Placeholder {
  name: string;
  mark: string;
}

/** A parsed template: literal texts and placeholders, in order. */
export type Template = readonly (string | Placeholder)[];

/** Parses a template. A `\{{` prints `{{`. */
export function readTemplate(text: string): Template {
  const pieces: (string | Placeholder)[] = [];
  let end = 0;
  for (const { 0: mark, 1: name, index } of text.matchAll(token)) {
    pieces.push(text.slice(end, index), name === undefined ? "{{" : { name, mark });
    end = index + mark.length;
  }
  return [...pieces, text.slice(end)];
}

/** A template that prints a text as it stands. */
export const escapeBraces = (text: string): string => text.replace(token, "\\$&");

/** The names in templates, each once, in order of appearance. */
export function namesIn(...templates: Template[]): string[] {
  const names = new Set<string>();
  for (const template of templates)
    for (const piece of template) if (typeof piece !== "string") names.add(piece.name);
  return [...names];
}

/** The names in a template's placeholders, each once, in order of appearance. */
export const placeholders = (template: string): string[] => namesIn(readTemplate(template));

/**
 * Fills a template in one pass. Values are not scanned again, so they cannot add placeholders.
 * @throws {RenderError} `missing_variables`, `unknown_variables` or `invalid_values` if strict; `payload_too_large` above 16 Mi UTF-16 units.
 */
export function render(
  template: string,
  variables: readonly Variable[],
  values: Values = {},
  { strict = true }: RenderOptions = {},
): Rendered {
  const pieces = readTemplate(template);
  const { texts, faults } = resolve(namesIn(pieces), variables, values);
  if (strict) refuse(faults);
  return { text: filler(texts)(pieces), missing: faults.missing };
}

/** Prints the value of every name that is used or declared, and collects all errors of a strict rendering. */
export function resolve(used: readonly string[], variables: readonly Variable[], values: Values) {
  // A map keeps the order of its first entries, so names that are used come first, in their order.
  const known = new Map<string, Variable | undefined>();
  const occurring = new Set(used);
  for (const name of occurring) known.set(name, undefined);
  for (const variable of variables) known.set(variable.name, variable);
  const texts = new Map<string, string>();
  const unknown = Object.keys(values).filter((name) => !known.has(name));
  const faults: Faults = { missing: [], unknown, invalid: [] };
  for (const [name, variable = requiredText(name)] of known) {
    const value = (Object.hasOwn(values, name) ? values[name] : null) ?? variable.default;
    const text = value === null ? (variable.required ? undefined : "") : printValue(variable.type, value);
    const problem = value === null ? undefined : problemOf(variable, value, text);
    if (text !== undefined) texts.set(name, text);
    else if (occurring.has(name)) faults.missing.push(name);
    if (problem !== undefined) faults.invalid.push({ name, problem });
  }
  return { texts, faults };
}

/** @throws {RenderError} with all errors at once, if there are any. */
export function refuse(faults: Faults): void {
  const { unknown, invalid } = faults;
  // A value without a text form is missing in the result, and was given.
  const missing = faults.missing.filter((name) => !invalid.some((one) => one.name === name));
  const sentences = [
    ...(missing.length > 0 ? [`Give a value for ${listed(missing)}.`] : []),
    ...(unknown.length > 0
      ? [`The prompt has no variable${unknown.length > 1 ? "s" : ""} ${listed(unknown)}; check the spelling.`]
      : []),
    ...(invalid.length > 0
      ? [
          `${listed(
            invalid.map(({ name, problem }) => `${name} ${problem}`),
            "; ",
          )}.`,
        ]
      : []),
  ];
  if (sentences.length === 0) return;
  const code =
    missing.length > 0 ? "missing_variables" : unknown.length > 0 ? "unknown_variables" : "invalid_values";
  throw new RenderError(code, sentences.join(" "), faults);
}

/** Creates a function that fills templates. One limit holds for all its results together, in UTF-16 units. */
export function filler(
  texts: ReadonlyMap<string, string>,
  maxLength = maxRenderedLength,
): (template: Template) => string {
  let room = maxLength;
  return (template) => {
    let text = "";
    for (const piece of template) {
      const printed = typeof piece === "string" ? piece : (texts.get(piece.name) ?? piece.mark);
      room -= printed.length;
      if (room < 0) {
        const most = `${maxLength / 1024 / 1024} Mi characters`;
        throw new RenderError("payload_too_large", `The filled prompt is longer than ${most}.`);
      }
      text += printed;
    }
    return text;
  };
}
