import type { ChatItem, ChatPart } from "../../template/version.ts";
import { type ImportDraft, ImportError, type TextDetector } from "../detector.ts";
import { draftOf } from "../foreign/draft.ts";
import { roleOf } from "../foreign/messages.ts";
import { baseName, isObject, parseJson, textIn, type Values } from "../foreign/values.ts";
import type { Syntax } from "../text/placeholders.ts";

/** A prompt template that LangChain serialised, for Python or JavaScript. */
export const langchain: TextDetector = {
  name: "langchain",
  title: "LangChain prompt template",
  documentation: "https://reference.langchain.com/python/langchain-core/load",
  confidence: 0.95,
  takes: (path) => path.endsWith(".json"),
  read({ path, text }) {
    const old = parseJson(text, '"input_variables"');
    if (isObject(old) && Array.isArray(old["input_variables"]) && old["lc"] === undefined)
      return [readOld(old, baseName(path, ".json"))];
    const file = parseJson(text, '"lc"');
    // LangSmith's API puts it into a commit.
    const value = isObject(file) ? (file["manifest"] ?? file) : undefined;
    if (!isObject(value) || value["lc"] !== 1 || !Array.isArray(value["id"])) return [];
    const { template, settings } = withoutModel(value);
    const read = readTemplate(template);
    const { metadata, partial_variables: partial } = kwargsOf(template);
    const repository = isObject(metadata) ? textIn(metadata["lc_hub_repo"]) : null;
    return [
      draftOf({
        ...read,
        name: repository ?? baseName(path, ".json"),
        settings,
        variables: defaultsOf(partial),
      }),
    ];
  },
};

/** As versions before 2023 saved a prompt. */
function readOld(old: Values, name: string): ImportDraft {
  const { _type: type = "prompt", template, partial_variables: partial } = old;
  if (type !== "prompt") throw new ImportError(`LangChain's ${String(type)} cannot be read as a prompt.`);
  const items = [{ role: "user" as const, content: textOf(template) }];
  return draftOf({ name, items, syntax: syntaxOf(old), variables: defaultsOf(partial) });
}

const classOf = (value: unknown): string =>
  isObject(value) && Array.isArray(value["id"]) ? String(value["id"].at(-1)) : "";
const kwargsOf = (value: unknown): Values =>
  isObject(value) && isObject(value["kwargs"]) ? value["kwargs"] : {};

/** A prompt of LangSmith can be the first step before its model. */
function withoutModel(value: Values): { template: unknown; settings?: Values } {
  if (classOf(value) !== "RunnableSequence") return { template: value };
  const { first, last } = kwargsOf(value);
  const { bound = last } = kwargsOf(last);
  const { model, model_name: name, temperature, top_p, max_tokens } = kwargsOf(bound);
  return { template: first, settings: { model: model ?? name, temperature, top_p, max_tokens } };
}

interface Read {
  items: ChatItem[];
  /** Of each item. Messages that are no templates have none. */
  syntax: Syntax[];
  warnings: string[];
}

const syntaxes = new Map<unknown, Syntax>([
  [undefined, "f-string"],
  ["f-string", "f-string"],
  ["mustache", "mustache"],
  ["jinja2", "jinja"],
]);

function syntaxOf({ template_format: format }: Values): Syntax {
  const syntax = syntaxes.get(format);
  if (syntax !== undefined) return syntax;
  throw new ImportError(`Its templates have the unknown format ${JSON.stringify(format)}.`);
}

function readTemplate(value: unknown): Read {
  const kwargs = kwargsOf(value);
  const name = classOf(value);
  if (name === "PromptTemplate")
    return {
      items: [{ role: "user", content: textOf(kwargs["template"]) }],
      syntax: [syntaxOf(kwargs)],
      warnings: [],
    };
  if (name !== "ChatPromptTemplate" && name !== "StructuredPrompt")
    throw new ImportError(`LangChain's ${name || "object"} cannot be read as a prompt.`);
  const messages = kwargs["messages"];
  if (!Array.isArray(messages)) throw new ImportError("It has no messages.");
  const read = messages.map(readMessage);
  return {
    items: read.map(({ item }) => item),
    syntax: read.map(({ syntax }) => syntax),
    warnings: name === "StructuredPrompt" ? ["The schema of the answers is left out."] : [],
  };
}

const textOf = (text: unknown): string => {
  if (typeof text === "string") return text;
  throw new ImportError("It has a template without a text.");
};

function readMessage(value: unknown, index: number): { item: ChatItem; syntax: Syntax } {
  const kwargs = kwargsOf(value);
  const name = classOf(value);
  if (name === "MessagesPlaceholder") {
    return { item: { type: "placeholder", name: String(kwargs["variable_name"]) }, syntax: "none" };
  }
  const role = roleOf(
    kwargs["role"] ?? /^(System|Human|AI|Tool|Function)Message/.exec(name)?.[1]?.toLowerCase(),
    index,
  );
  const { prompt, content } = kwargs;
  if (prompt === undefined) return { item: { role, content } as ChatItem, syntax: "none" };
  if (!Array.isArray(prompt)) {
    const template = kwargsOf(prompt);
    return { item: { role, content: textOf(template["template"]) }, syntax: syntaxOf(template) };
  }
  return { item: { role, content: prompt.map(readPart) }, syntax: syntaxOf(kwargsOf(prompt[0])) };
}

/** A part of a message. Only its text is a template here: the address of an image is not filled in. */
function readPart(value: unknown): ChatPart {
  const { template } = kwargsOf(value);
  const name = classOf(value);
  if (name === "PromptTemplate") return { type: "text", text: textOf(template) };
  if (name === "ImagePromptTemplate") return { type: "image_url", image_url: template };
  if (name === "DictPromptTemplate" && isObject(template) && typeof template["type"] === "string")
    return { ...template, type: template["type"] };
  throw new ImportError(`LangChain's ${name} cannot be read as a part of a message.`);
}

/** Values that the template is filled with already. */
const defaultsOf = (partial: unknown) =>
  Object.entries(isObject(partial) ? partial : {}).map(([name, value]) => ({
    name,
    default: value,
    type: typeof value === "object" ? ("json" as const) : ("text" as const),
  }));
