import { placeholders } from "../template/render.ts";
import { defaultsOf } from "./arguments.ts";
import type { Format } from "./format.ts";
import { plainItems } from "./messages.ts";
import { toMustache } from "./mustache.ts";
import { omittedSettings } from "./omitted.ts";
import { jsonFile } from "./text.ts";

const classes = {
  system: "SystemMessagePromptTemplate",
  user: "HumanMessagePromptTemplate",
  assistant: "AIMessagePromptTemplate",
};

/** A ChatPromptTemplate for `load` of LangChain in Python and JavaScript. */
export const langchain: Format = {
  reads: "entry",
  write(prompt) {
    const items = plainItems(prompt, "langchain");
    const messages = items.map((item) =>
      "placeholder" in item
        ? construct("chat", "MessagesPlaceholder", { variable_name: item.placeholder })
        : construct("chat", classes[item.role], { prompt: promptTemplate(item.text) }),
    );
    const names = items.flatMap((item) =>
      "placeholder" in item ? [item.placeholder] : placeholders(item.text),
    );
    const defaults = new Map(defaultsOf(prompt));
    const template = {
      input_variables: [...new Set(names)].filter((name) => !defaults.has(name)),
      partial_variables: Object.fromEntries(defaults),
      messages,
      template_format: "mustache",
    };
    return {
      files: [jsonFile(`${prompt.slug}.json`, construct("chat", "ChatPromptTemplate", template))],
      warnings: omittedSettings(prompt, "LangChain's template", []),
    };
  },
};

const construct = (module: string, name: string, kwargs: object) => ({
  lc: 1,
  type: "constructor",
  id: ["langchain_core", "prompts", module, name],
  kwargs,
});

// `{{&name}}`, since LangChain for Python escapes HTML in what `{{name}}` prints.
const promptTemplate = (text: string) =>
  construct("prompt", "PromptTemplate", {
    input_variables: placeholders(text),
    template: toMustache(text, (name) => `{{&${name}}}`),
    template_format: "mustache",
  });
