import { readTemplate } from "../template/render.ts";
import { type Json, printValue } from "../template/variable.ts";
import type { ChatMessage } from "../template/version.ts";
import { type Format, type FormatCase, FormatError } from "./format.ts";
import { isPlaceholder, omittedPlaceholders, writeTemplate } from "./messages.ts";
import { jsonFile } from "./text.ts";
import { yamlFile } from "./yaml.ts";

/**
 * A configuration of promptfoo with its prompt. The prompt is a list of messages also for a text: promptfoo splits text files at
 * `---`, trims them and follows those that look like a URL.
 */
export const promptfoo: Format = {
  reads: "entry",
  showsCases: true,
  write(prompt) {
    const { ref, slug, messages, cases, version } = prompt;
    const provider = providerOf(version.config["model"]);
    const tests = cases.filter(isHarmless).map(toTest);
    const config = {
      description: `${ref} v${version.n}`,
      prompts: [`file://prompts/${slug}.json`],
      ...(provider === undefined ? {} : { providers: [provider] }),
      ...(tests.length === 0 ? {} : { tests }),
    };
    const items = messages.flatMap((item) => (isPlaceholder(item) ? [] : [toMessage(item)]));
    return {
      files: [yamlFile("promptfooconfig.yaml", config), jsonFile(`prompts/${slug}.json`, items)],
      warnings: [
        ...omittedPlaceholders(prompt),
        ...(provider === undefined ? ["Add the provider of the model: promptfoo's default is OpenAI."] : []),
        ...(tests.length < cases.length
          ? [
              `${cases.length - tests.length} cases are left out: promptfoo would take their values for templates or files.`,
            ]
          : []),
      ],
    };
  },
};

/** promptfoo fills in every text of the list, so all but the templates are escaped whole. */
function toMessage({ content, ...rest }: ChatMessage) {
  const parts =
    typeof content === "string"
      ? toNunjucks(content)
      : content?.map(({ text, ...part }) => ({
          ...(escapeAll(part) as object),
          ...(text === undefined ? {} : { text: toNunjucks(text) }),
        }));
  return { ...(escapeAll(rest) as object), content: parts ?? null };
}

const toNunjucks = (template: string) =>
  writeTemplate(
    readTemplate(template),
    (name) => {
      if (!/^(true|false|none|null|not)$/.test(name)) return `{{ ${name} }}`;
      throw new FormatError("format_not_supported", `promptfoo cannot fill in a variable named ${name}.`);
    },
    escape,
  );

/** What begins or ends a tag of Nunjucks becomes the text that a tag prints. */
const escape = (literal: string, isBeforeMark = false): string =>
  literal.replace(
    isBeforeMark ? /\{+[%#]|\{\{+|#\}|\{$/g : /\{+[%#]|\{\{+|#\}/g,
    (text) => `{{ "${text}" }}`,
  );

function escapeAll(value: unknown): unknown {
  if (typeof value === "string") return escape(value);
  if (Array.isArray(value)) return value.map(escapeAll);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, escapeAll(one)]));
}

/** promptfoo runs `exec:` and `file:` providers, so only names of models of known vendors pass. */
function providerOf(model: Json | undefined): string | undefined {
  if (typeof model !== "string" || !/^[\w./:@-]{1,200}$/.test(model)) return undefined;
  const [, vendor, name = model] = /^([a-z]+)[:/](.+)$/.exec(model) ?? [];
  const known = vendor ?? vendors.find(([start]) => start.test(model))?.[1];
  const prefix = known !== undefined && Object.hasOwn(prefixes, known) ? prefixes[known] : undefined;
  return prefix === undefined ? undefined : `${prefix}${name}`;
}

const vendors: readonly [RegExp, string][] = [
  [/^(gpt|chatgpt|o\d)/, "openai"],
  [/^claude/, "anthropic"],
  [/^gemini/, "google"],
];
const prefixes: Readonly<Record<string, string>> = {
  openai: "openai:",
  anthropic: "anthropic:messages:",
  google: "google:",
  mistral: "mistral:",
  openrouter: "openrouter:",
};

/** A list makes one test of each item, and other values than texts may be files: both are printed. */
const toTest = ({ variables, expected }: FormatCase) => ({
  vars: Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, printValue("text", value)]),
  ),
  ...(expected === null ? {} : { assert: [{ type: "equals", value: expected }] }),
});

/** promptfoo reads and runs files that a value names, and fills in the environment's variables. */
const isHarmless = ({ variables, expected }: FormatCase) =>
  [...Object.values(variables), expected].every(
    (value) => !/^\s*[a-z]+:\/\/|^\s*package:|\{[{%#]|#\}/i.test(printValue("text", value) ?? ""),
  );
