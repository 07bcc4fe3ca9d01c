import type { Json } from "../template/variable.ts";

/** Words that mean the same text in YAML with quotes and without, and for readers that only split at the colon. */
const isPlainWord = (text: string) =>
  /^[a-z][a-z0-9-]*$/.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/.test(text);

const scalar = (value: Json): string =>
  typeof value === "string" && isPlainWord(value) ? value : JSON.stringify(value);

/**
 * A Markdown file with frontmatter. Texts are written as JSON, which is valid YAML and needs no further rules. A map has a line
 * for each entry. Undefined values are left out.
 */
export function withFrontmatter(fields: Readonly<Record<string, Json | undefined>>, body: string): string {
  const lines = Object.entries(fields).flatMap(([key, value]) => {
    if (value === undefined) return [];
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return [`${key}: ${scalar(value)}`];
    return [`${key}:`, ...Object.entries(value).map(([name, one]) => `  ${name}: ${scalar(one)}`)];
  });
  return lines.length === 0 ? body : `---\n${lines.join("\n")}\n---\n\n${body}`;
}
