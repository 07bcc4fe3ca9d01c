import { readTemplate, type Template } from "../template/render.ts";
import type { Json, Variable } from "../template/variable.ts";
import { FormatError, type Format, type FormatPrompt } from "./format.ts";
import { withFrontmatter } from "./frontmatter.ts";
import { plainItems, writeTemplate } from "./messages.ts";
import { omittedSettings } from "./omitted.ts";
import { describe, textFile } from "./text.ts";

const keeps = ["model", "temperature", "topP", "maxTokens", "stop", "responseFormat"];

/** A prompt of Dotprompt (google.github.io/dotprompt): Handlebars with frontmatter. */
export const dotprompt: Format = {
  reads: "entry",
  write(prompt) {
    const { ref, slug, version } = prompt;
    const defaults = version.variables.flatMap(({ name, default: value }) =>
      value === null ? [] : [[name, value] as const],
    );
    const fields = {
      name: slug,
      description: describe(prompt, 1024),
      ...settingsOf(version.config),
      input: {
        schema: schemaOf(version.variables),
        default: Object.fromEntries(defaults),
      },
      metadata: { source: ref, version: String(version.n) },
    };
    return {
      files: [
        textFile(
          `${slug}.prompt`,
          withFrontmatter(fields, writeTemplate(readMessages(prompt), markOf, escape)),
        ),
      ],
      warnings: omittedSettings(prompt, "Dotprompt", keeps),
    };
  },
};

const roleNames = { system: "system", user: "user", assistant: "model" };

/** All messages as one template. The marks of roles have a space in their name, so no variable has it. */
function readMessages(prompt: FormatPrompt): Template {
  const items = plainItems(prompt, "dotprompt");
  if (items.filter((item) => "placeholder" in item).length > 1) {
    throw refuse("has one place for messages of the caller, and the prompt has several");
  }
  return items.flatMap((item): Template => {
    if ("placeholder" in item) return [mark("history ")];
    if (item.text.includes("<<<dotprompt:")) throw refuse("reads <<<dotprompt: in the text as its own mark");
    return [mark(`role "${roleNames[item.role]}"`), ...readTemplate(item.text)];
  });
}

const refuse = (why: string) => new FormatError("format_not_supported", `dotprompt ${why}.`);
const mark = (name: string) => ({ name, mark: "" });

/** Words that Handlebars takes for a value or a helper if they stand alone. */
const reserved =
  /^(true|false|null|undefined|this|else|if|unless|each|with|lookup|log|json|role|history|media|section|ifEquals|unlessEquals|helperMissing|blockHelperMissing)$/;
const markOf = (name: string) => `{{${reserved.test(name) ? `this.[${name}]` : name.trim()}}}`;

/** Prints one brace. */
const brace = '{{lookup "{" 0}}';

/**
 * A backslash escapes two braces. Handlebars reads it otherwise before a third brace, before a mark and after another backslash:
 * there each brace is printed, and the backslash doubled. An empty comment keeps a closing brace from the mark before it.
 */
function escape(literal: string, isBeforeMark: boolean): string {
  const text = literal
    .replace(/(\\?)(\{\{+|\{$)/g, (found: string, backslash: string, braces: string, at: number) => {
      const isLast = isBeforeMark && at + found.length === literal.length;
      if (braces === "{" && !isLast) return found;
      if (braces === "{{" && !isLast && backslash === "") return "\\{{";
      return backslash + backslash + brace.repeat(braces.length);
    })
    .replace(/^\}|(?<=\{\{lookup "\{" 0\}\})\}/g, "{{!}}}");
  return isBeforeMark && text.endsWith("\\") ? `${text}\\` : text;
}

const types = { text: "string", multiline: "string", enum: "string", number: "number", boolean: "boolean" };

/** JSON Schema, which Dotprompt takes beside its own short form. In that one a description could break out. */
const schemaOf = (variables: readonly Variable[]): Json => ({
  type: "object",
  properties: Object.fromEntries(
    variables.map(({ name, type, description, options }) => [
      name,
      {
        ...(type === "json" ? {} : { type: types[type] }),
        ...(description === undefined ? {} : { description }),
        ...(type === "enum" && options !== undefined ? { enum: options } : {}),
      },
    ]),
  ),
  required: variables.filter((one) => one.required && one.default === null).map(({ name }) => name),
});

function settingsOf(config: Readonly<Record<string, Json>>) {
  const { model, temperature, topP, maxTokens, stop, responseFormat } = config;
  const settings = Object.entries({ temperature, topP, maxOutputTokens: maxTokens }).concat(
    stop === undefined ? [] : [["stopSequences", typeof stop === "string" ? [stop] : stop]],
  );
  const given = settings.filter((entry): entry is [string, Json] => entry[1] !== undefined);
  const format = typeof responseFormat === "string" ? responseFormat : Object(responseFormat).type;
  return {
    model,
    ...(given.length === 0 ? {} : { config: Object.fromEntries(given) }),
    ...(String(format).startsWith("json") ? { output: { format: "json" } } : {}),
  };
}
