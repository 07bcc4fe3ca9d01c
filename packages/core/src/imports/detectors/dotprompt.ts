import type { ChatItem, ChatMessage } from "../../template/version.ts";
import type { TextDetector } from "../detector.ts";
import { draftOf } from "../foreign/draft.ts";
import { readFrontmatter } from "../foreign/frontmatter.ts";
import { roleOf } from "../foreign/messages.ts";
import { variablesIn } from "../foreign/picoschema.ts";
import { baseName, isObject, textIn, type Values } from "../foreign/values.ts";

/** A prompt of Dotprompt and Genkit. A name that begins with `_` is that of a part of other prompts. */
export const dotprompt: TextDetector = {
  name: "dotprompt",
  title: "Dotprompt",
  documentation: "https://google.github.io/dotprompt/reference/",
  confidence: 0.95,
  takes: (path) => /(^|\/)[^_/][^/]*\.prompt$/i.test(path),
  read({ path, text }) {
    const { data, body } = readFrontmatter(text);
    const { name, description, model, config, output, tools } = data;
    const { schema, default: defaults } = isObject(data["input"]) ? data["input"] : ({} as Values);
    const base = baseName(path, ".prompt");
    return [
      draftOf({
        name: textIn(name) ?? base,
        summary: textIn(description),
        items: readMessages(body),
        syntax: "dotprompt",
        variables: withDefaults(schema, defaults),
        settings: { model, ...(isObject(config) ? config : {}), response_format: formatOf(output) },
        warnings: [
          ...(Array.isArray(tools) ? ["Its tools are left out: the application that ran it has them."] : []),
          ...(isObject(output) && output["schema"] !== undefined
            ? ["The schema of its answers is left out."]
            : []),
        ],
      }),
    ];
  },
};

function withDefaults(schema: unknown, defaults: unknown) {
  const values = new Map(Object.entries(isObject(defaults) ? defaults : {}));
  const declared = variablesIn(schema).map((one) => ({
    ...one,
    default: values.get(one.name) ?? one.default,
  }));
  const known = new Set(declared.map(({ name }) => name));
  const others = Array.from(values, ([name, value]) => ({ name, default: value }));
  return [...declared, ...others.filter(({ name }) => !known.has(name))];
}

const formatOf = (output: unknown): string | undefined =>
  isObject(output) && output["format"] === "json" ? "json_object" : undefined;

/** A mark that begins a message, or the place of the conversation so far. A single backslash before it makes it text. */
const mark = /(?<!(?:^|[^\\])\\)\{\{~?\s*(?:role\s+["'](\w+)["']|(history))\s*~?\}\}/g;

function readMessages(body: string): ChatItem[] {
  const items: ChatItem[] = [];
  let role: ChatMessage["role"] = "user";
  let start = 0;
  const take = (end: number) => {
    const content = body
      .slice(start, end)
      .replace(/^\s*\n/, "")
      .trimEnd();
    // A comment alone is no message.
    if (content.replace(/\{\{![^{}]*\}\}/g, "").trim() !== "") items.push({ role, content });
  };
  for (const found of body.matchAll(mark)) {
    take(found.index);
    start = found.index + found[0].length;
    if (found[2] !== undefined) items.push({ type: "placeholder", name: "history" });
    role = found[1] === undefined ? "assistant" : roleOf(found[1], items.length);
  }
  take(body.length);
  return items;
}
