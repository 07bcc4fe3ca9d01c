import { stringify } from "yaml";
import { withFrontmatter } from "../../formats/frontmatter.ts";
import { isPlaceholder } from "../../formats/messages.ts";
import { placeholders } from "../../template/render.ts";
import type { ChatItem } from "../../template/version.ts";
import { type ImportDraft, ImportError } from "../detector.ts";
import { rewritePlaceholders, type Syntax } from "../text/placeholders.ts";
import { onlyText, withTexts } from "./messages.ts";
import { readSettings } from "./settings.ts";
import { declare, type ForeignVariable } from "./variables.ts";

/** A prompt as another tool keeps it. */
export interface ForeignPrompt {
  part?: string;
  name: string;
  title?: string | null;
  summary?: string | null;
  tags?: string[];
  items: readonly ChatItem[];
  /** How its texts mark variables, for all items or for each; null if they do as ours. */
  syntax: Syntax | null | readonly Syntax[];
  variables?: readonly ForeignVariable[];
  /** Of the model, under the names of the tool. */
  settings?: unknown;
  /** In the form of OpenAI's API. */
  tools?: readonly unknown[];
  warnings?: readonly string[];
}

/**
 * A prompt of kind text if it is one message of a user, else a chat.
 * @throws {ImportError} if there is nothing in it for a model to read.
 */
export function draftOf(prompt: ForeignPrompt): ImportDraft {
  const { items, texts, defaults, nameOf, warnings } = rewrite(prompt);
  if (texts.every((text) => text.trim() === ""))
    throw new ImportError("It has no text that a model could read.");
  const settings = readSettings(prompt.settings);
  const variables = [...defaults, ...(prompt.variables ?? [])];
  const declared = declare(variables, texts.flatMap(placeholders), nameOf);
  const data = {
    ...(declared.variables.length === 0 ? {} : { variables: declared.variables }),
    ...(Object.keys(settings.config).length === 0 ? {} : { config: settings.config }),
  };
  const { tools = [] } = prompt;
  const text = tools.length === 0 ? onlyText(items) : undefined;
  return {
    part: prompt.part ?? null,
    kind: text === undefined ? "chat" : "text",
    name: prompt.name,
    title: prompt.title ?? prompt.name,
    summary: prompt.summary ?? null,
    tags: prompt.tags ?? [],
    license: null,
    entry:
      text === undefined
        ? jsonOf({ messages: items, ...(tools.length === 0 ? {} : { tools }), ...data })
        : markdownOf(data, text),
    warnings: [
      ...new Set([...(prompt.warnings ?? []), ...warnings, ...settings.warnings, ...declared.warnings]),
    ],
  };
}

/** The messages in our syntax, with their texts, and our names of their variables. */
function rewrite({ items, syntax }: ForeignPrompt) {
  const texts: string[] = [];
  const defaults: ForeignVariable[] = [];
  const warnings: string[] = [];
  const syntaxOf = (index: number) => (typeof syntax === "string" ? syntax : (syntax?.[index] ?? null));
  const rewritten = items.map((item, index) => {
    if (isPlaceholder(item)) return { ...item, name: placeName(item.name, warnings) };
    return withTexts(item, (text) => {
      const own = ours(text, syntaxOf(index));
      texts.push(own.text);
      for (const [name, value] of own.defaults) defaults.push({ name, default: value });
      const place = items.length > 1 ? `of message ${index + 1}` : "of its text";
      warnings.push(...own.warnings.map((one) => one.replace("of its text", place)));
      return own.text;
    });
  });
  const main = typeof syntax === "string" ? syntax : (syntax?.find((one) => one !== "none") ?? null);
  const nameOf = (foreign: string) => placeholders(ours(marked(foreign, main), main).text)[0];
  return { items: rewritten, texts, defaults, nameOf, warnings };
}

/** The name of a place for messages, as ours may be. */
function placeName(foreign: string, warnings: string[]): string {
  const name = foreign
    .replace(/\W/g, "_")
    .replace(/^(?=\d|$)/, "_")
    .slice(0, 64);
  if (name !== foreign)
    warnings.push(`The place for messages ${foreign.slice(0, 100)} is named ${name} here.`);
  return name;
}

const ours = (text: string, syntax: Syntax | null) =>
  syntax === null
    ? { text, defaults: new Map<string, string>(), warnings: [] }
    : rewritePlaceholders(text, syntax);

/** A variable as it stands in a text. */
function marked(name: string, syntax: Syntax | null): string {
  if (syntax === "f-string") return `{${name}}`;
  return syntax === "dollar" ? `\${${name}}` : `{{${name}}}`;
}

const jsonOf = (data: object): string => `${JSON.stringify(data, null, 2)}\n`;

export function markdownOf(data: object, text: string): string {
  const body = `${text.trimEnd()}\n`;
  if (Object.keys(data).length === 0) return withFrontmatter({}, body);
  const yaml = stringify(data, { lineWidth: 0, compat: "yaml-1.1", aliasDuplicateObjects: false });
  return `---\n${yaml}---\n\n${body}`;
}
