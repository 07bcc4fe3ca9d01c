import type { Json } from "../template/variable.ts";

/** Words that mean the same text in YAML with quotes and without, and for readers that only split at the colon. */
const isPlainWord = (text: string) =>
  /^[a-z][a-z0-9-]*$/.test(text) &&
  !/^(true|false|null|yes|no|on|off|y|n)$/.test(text) &&
  !text.includes("---");

/** What YAML or TOML does not print, or takes for the end of a line, though JSON prints it. */
const special = /[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g;

/**
 * A JSON value that YAML and, for texts, TOML read in the same way. Some readers of frontmatter end it at any `---`, so texts
 * hold none.
 */
export const quoted = (value: Json): string =>
  JSON.stringify(value)
    .replace(special, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .replaceAll("---", "-\\u002d-");

const scalar = (value: Json): string =>
  typeof value === "string" && isPlainWord(value) ? value : quoted(value);

/** A text that a reader takes as it stands, up to the end of the line: Cursor's list of globs. */
export class BareText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Field = Json | BareText | undefined;

/**
 * A Markdown file with frontmatter. Texts are written as JSON, which is valid YAML and needs no further rules. A map has a line
 * for each entry. Undefined values are left out.
 */
export function withFrontmatter(fields: Readonly<Record<string, Field>>, body: string): string {
  const lines = Object.entries(fields).flatMap(([key, value]) => {
    if (value === undefined) return [];
    if (value instanceof BareText) return [`${key}: ${value.text}`];
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return [`${key}: ${scalar(value)}`];
    return [`${key}:`, ...Object.entries(value).map(([name, one]) => `  ${name}: ${scalar(one)}`)];
  });
  return lines.length === 0 ? withoutOpening(body) : `---\n${lines.join("\n")}\n---\n\n${body}`;
}

/** A text that begins with `---` would be taken for frontmatter. An empty line before it says that it is none. */
const withoutOpening = (body: string): string => (/^[\uFEFF\s]*---/.test(body) ? `\n${body}` : body);
