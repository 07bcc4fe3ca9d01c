import { readTemplate } from "../template/render.ts";
import type { Json } from "../template/variable.ts";
import type { ChatMessage } from "../template/version.ts";
import { defaultsOf } from "./arguments.ts";
import { type Format, FormatError } from "./format.ts";
import { isPlaceholder, omittedPlaceholders, writeTemplate } from "./messages.ts";
import { omittedSettings } from "./omitted.ts";
import { isHarmless, leftOut, writeTests } from "./promptfoo-tests.ts";
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
    const provider = providerOf(version.config);
    const defaults = defaultsOf(prompt);
    const vars = defaults.filter(([, text]) => isHarmless([text]));
    const { tests, warnings } = writeTests(cases);
    const config = {
      description: `${ref} v${version.n}`,
      prompts: [`file://prompts/${slug}.json`],
      ...(provider === undefined ? {} : { providers: [provider] }),
      ...(vars.length === 0 ? {} : { defaultTest: { vars: Object.fromEntries(vars) } }),
      ...(tests.length === 0 ? {} : { tests }),
    };
    const items = messages.flatMap((item) => (isPlaceholder(item) ? [] : [toMessage(item)]));
    return {
      files: [yamlFile("promptfooconfig.yaml", config), jsonFile(`prompts/${slug}.json`, items)],
      warnings: [
        ...omittedPlaceholders(prompt),
        ...(provider === undefined ? ["Add the provider of the model: promptfoo's default is OpenAI."] : []),
        ...omittedSettings(
          prompt,
          "promptfoo",
          provider === undefined ? [] : ["model", ...Object.keys(names)],
        ),
        ...leftOut(defaults.length - vars.length, "defaults of variables"),
        ...warnings,
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
    isBeforeMark ? /\{{2,}[%#]?|\{[%#]|#\}|\{$/g : /\{{2,}[%#]?|\{[%#]|#\}/g,
    (text) => `{{ "${text}" }}`,
  );

function escapeAll(value: unknown): unknown {
  if (typeof value === "string") return escape(value);
  if (Array.isArray(value)) return value.map(escapeAll);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, escapeAll(one)]));
}

/** promptfoo runs `exec:` and `file:` providers, so only names of models of known vendors pass, and of the settings numbers. */
function providerOf(config: Readonly<Record<string, Json>>): string | object | undefined {
  const { model } = config;
  if (typeof model !== "string" || !/^[\w./:@-]{1,200}$/.test(model)) return undefined;
  const [, vendor, name = model] = /^([a-z]+)[:/](.+)$/.exec(model) ?? [];
  const known = vendor ?? vendors.find(([start]) => start.test(model))?.[1];
  if (known === undefined || !Object.hasOwn(prefixes, known)) return undefined;
  const id = `${prefixes[known]}${name}`;
  const settings = Object.entries(known === "google" ? googleNames : names).flatMap(([setting, itsName]) =>
    typeof config[setting] === "number" ? [[itsName, config[setting]]] : [],
  );
  return settings.length === 0 ? id : { id, config: Object.fromEntries(settings) };
}

const names = { temperature: "temperature", topP: "top_p", maxTokens: "max_tokens" };
const googleNames = { temperature: "temperature", topP: "topP", maxTokens: "maxOutputTokens" };

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
