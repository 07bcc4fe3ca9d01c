import type { ChatItem, ChatMessage } from "../../template/version.ts";
import type { TextDetector } from "../detector.ts";
import { draftOf } from "../foreign/draft.ts";
import { readFrontmatter } from "../foreign/frontmatter.ts";
import { roleOf } from "../foreign/messages.ts";
import { baseName, isObject, textIn, textsIn, type Values } from "../foreign/values.ts";
import { type ForeignVariable, typeOf } from "../foreign/variables.ts";

/** A prompt of Prompty, of its first version or of its second one, which renamed most fields. */
export const prompty: TextDetector = {
  name: "prompty",
  title: "Prompty",
  documentation: "https://prompty.ai",
  confidence: 0.95,
  takes: (path) => /\.prompty$/i.test(path),
  read({ path, text }) {
    const { data, body } = readFrontmatter(text);
    const { name, displayName, description, metadata, outputs } = data;
    const inputs = readInputs(data);
    const base = baseName(path, ".prompty");
    const { settings, tools, api } = readModel(data);
    return [
      draftOf({
        name: textIn(name) ?? base,
        title: textIn(displayName) ?? textIn(name),
        summary: textIn(description),
        tags: textsIn(data["tags"] ?? (isObject(metadata) ? metadata["tags"] : [])),
        items: readMessages(body, api === "completion", inputs),
        syntax: isMustache(data["template"]) ? "mustache" : "jinja",
        variables: inputs.flatMap(({ kind, variable }) => (kind === "thread" ? [] : [variable])),
        settings,
        tools,
        warnings: [
          ...(outputs === undefined ? [] : ["The schema of its answers is left out."]),
          ...(data["tools"] === undefined
            ? []
            : ["Its tools are left out: Prompty has a form of its own for them."]),
          ...media(inputs),
        ],
      }),
    ];
  },
};

/** Of a model its connection never comes along: it holds addresses and keys. */
function readModel({ model }: Values): { settings: Values; tools: unknown[]; api: unknown } {
  if (!isObject(model)) return { settings: { model }, tools: [], api: "chat" };
  const { id, configuration, parameters, options, api, apiType } = model;
  const { azure_deployment: deployment, name } = isObject(configuration) ? configuration : ({} as Values);
  const { tools, ...settings }: Values = isObject(options) ? options : isObject(parameters) ? parameters : {};
  return {
    settings: { model: id ?? deployment ?? name, ...settings },
    tools: Array.isArray(tools) ? tools : [],
    api: apiType ?? api,
  };
}

/** `template` is a name, or has it in one of three places. The engine is Jinja if nothing else is said. */
function isMustache(template: unknown): boolean {
  const { format, type } = isObject(template) ? template : ({} as Values);
  return [template, type, format, isObject(format) ? format["kind"] : undefined].includes("mustache");
}

interface Input {
  kind: unknown;
  variable: ForeignVariable;
}

/** The inputs, a list or a map from their names, with the values in `sample`, which the first version knew. */
function readInputs({ inputs, sample }: Values): Input[] {
  const list = Array.isArray(inputs)
    ? inputs.filter(isObject).map((one): [string, unknown] => [String(one["name"]), one])
    : Object.entries(isObject(inputs) ? inputs : {});
  const samples = new Map(Object.entries(isObject(sample) ? sample : {}));
  const named = new Set(list.map(([name]) => name));
  const others = [...samples.keys()].filter((name) => !named.has(name));
  return [...list, ...others.map((name): [string, unknown] => [name, {}])].map(([name, input]) =>
    readInput(name, input, samples.get(name)),
  );
}

function readInput(name: string, input: unknown, sampled: unknown): Input {
  // The second version takes a value for a default.
  if (!isObject(input)) return { kind: "string", variable: { name, default: input } };
  const { kind = input["type"], default: value, sample, example, description, required, enumValues } = input;
  const shown = example ?? sample ?? sampled;
  return {
    kind,
    variable: {
      name,
      type: typeOf(kind),
      default: value,
      example: shown,
      description,
      required,
      options: enumValues,
    },
  };
}

function media(inputs: readonly Input[]): string[] {
  const found = inputs.filter(({ kind }) => ["image", "audio", "file"].includes(String(kind)));
  return found.map(
    ({ kind, variable }) =>
      `${variable.name} was ${kind === "image" ? "an image" : String(kind)}. Here it is text.`,
  );
}

/** A line such as `system:` or `# user[name="Ada"]:`. */
const mark =
  /^[ \t]*(?:#[ \t]*)?(system|user|assistant|developer|function|tool)(?:\[[^\]\n]*\])?[ \t]*:[ \t]*\r?$/gim;

function readMessages(body: string, isCompletion: boolean, inputs: readonly Input[]): ChatItem[] {
  if (isCompletion) return [{ role: "user", content: body.trim() }];
  const threads = new Set(inputs.flatMap(({ kind, variable }) => (kind === "thread" ? [variable.name] : [])));
  const items: ChatItem[] = [];
  let role: ChatMessage["role"] = "system";
  let start = 0;
  const take = (end: number) => items.push(...messagesOf(body.slice(start, end), role, threads));
  for (const found of body.matchAll(mark)) {
    take(found.index);
    start = found.index + found[0].length;
    role = roleOf(found[1]?.toLowerCase(), items.length);
  }
  take(body.length);
  // What no text has a place for comes last.
  return [...items, ...Array.from(threads, (name): ChatItem => ({ type: "placeholder", name }))];
}

/** The messages of a text. A conversation stands where its name does, and cuts the text in two. */
function messagesOf(text: string, role: ChatMessage["role"], threads: Set<string>): ChatItem[] {
  const items: ChatItem[] = [];
  const say = (said: string) => {
    if (said.trim() !== "") items.push({ role, content: said.trim() });
  };
  let said = "";
  for (const piece of text.split(/(\{\{[ \t]*\w+[ \t]*\}\})/)) {
    const name = piece.startsWith("{{") ? piece.slice(2, -2).trim() : "";
    if (threads.delete(name)) {
      say(said);
      items.push({ type: "placeholder", name });
      said = "";
    } else said += piece;
  }
  say(said);
  return items;
}
