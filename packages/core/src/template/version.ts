import { entryFiles } from "../content/kinds.ts";
import { declaresNoVariables, splitFrontmatter, withoutByteOrderMark } from "./frontmatter.ts";
import {
  filler,
  namesIn,
  RenderError,
  type RenderOptions,
  readTemplate,
  refuse,
  resolve,
  type Template,
  type Values,
} from "./render.ts";
import type { Variable } from "./variable.ts";

/** A part of a message, such as a text or an image. Only `text` is filled in. */
export interface ChatPart {
  type: string;
  text?: string;
  [key: string]: unknown;
}

/** The keys of every message of a chat. Other keys are kept. */
interface AnyMessage<Role extends string> {
  role: Role;
  name?: string;
  [key: string]: unknown;
}
interface MessageOf<Role extends string> extends AnyMessage<Role> {
  content: string | ChatPart[];
}

/** A model's call to a tool, in the form of most SDKs. */
export interface ChatToolCall {
  id: string;
  type: "function";
  /** `arguments` is JSON. */
  function: { name: string; arguments: string };
}

export type SystemMessage = MessageOf<"system" | "developer">;
export type UserMessage = MessageOf<"user">;
export interface AssistantMessage extends AnyMessage<"assistant"> {
  /** Absent or null if it only calls tools. */
  content?: string | ChatPart[] | null;
  tool_calls?: ChatToolCall[];
}
/** The result of a tool. */
export interface ToolMessage extends MessageOf<"tool"> {
  /** The `id` of the call. It is optional in a CHAT.json. */
  tool_call_id?: string;
}

/** The possible roles of messages. */
export const roles = ["system", "developer", "user", "assistant", "tool"] as const;

/** Whether a message needs no content, since it is a model's call to tools. */
export const isCall = ({ role, tool_calls: calls }: { role?: unknown; tool_calls?: unknown }): boolean =>
  role === "assistant" && Array.isArray(calls) && calls.length > 0;

/** One message of a chat. */
export type ChatMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** A placeholder for the caller's messages, such as the conversation so far. */
export interface ChatPlaceholder {
  type: "placeholder";
  name: string;
}
/** An item of the list of messages in CHAT.json. */
export type ChatItem = ChatMessage | ChatPlaceholder;

/** The part of a version that rendering needs. A version of the API, with its files, has it. */
export interface RenderableVersion {
  /** The path of the entry file. It shows the kind of the prompt. */
  entry: string;
  files: readonly { path: string; encoding: "utf8" | "base64"; content?: string }[];
  variables: readonly Variable[];
}

/** Options of rendering a whole version. */
export interface RenderVersionOptions<Message = ChatMessage> extends RenderOptions {
  /** The messages for each placeholder of a chat. They are inserted unchanged. An empty list inserts nothing. */
  messages?: Readonly<Record<string, readonly Message[]>>;
  /** How long the result can be, in UTF-16 units. Default: 16 Mi. */
  maxLength?: number;
}

/** A filled prompt, in the two forms that models accept. */
export interface RenderedVersion<Message = ChatMessage> {
  /** One text. For a chat, it is the texts of all messages, with their roles as headings if there are several. */
  text: string;
  /** Messages. A text, command or media prompt is one user message. Other Markdown kinds are one system message. */
  messages: (ChatMessage | Message)[];
  /** Variables and message placeholders without a value; always empty if strict. */
  missing: string[];
}

/**
 * Fills in a version's entry file. The text of a skill, or of an entry with `variables: false`, is never filled in.
 * @throws {RenderError} `missing_variables`, `unknown_variables` or `invalid_values` if strict, `invalid_entry` if the files have no content, `payload_too_large`
 *   above `maxLength`.
 */
export function renderVersion<Message = ChatMessage>(
  version: RenderableVersion,
  values: Values = {},
  { strict = true, messages: lists = {}, maxLength }: RenderVersionOptions<Message> = {},
): RenderedVersion<Message> {
  const { items, templates, names, places } = readEntry(version);
  const { texts, faults } = resolve(names, version.variables, values);
  const { missing, unknown, invalid } = faults;
  const known = new Set(places);
  const given = (name: string): unknown => (Object.hasOwn(lists, name) ? lists[name] : null);
  for (const name of places) {
    const list = given(name) ?? null;
    if (list === null || !(strict || Array.isArray(list))) missing.push(name);
    else if (!isMessages(list)) invalid.push({ name, problem: noMessages });
  }
  unknown.push(...Object.keys(lists).filter((name) => !known.has(name)));
  if (strict) refuse(faults);

  const fillIn = filler(texts, maxLength);
  const fill = (text: string) => fillIn(templates.get(text) ?? [text]);
  const messages = items.flatMap((item): readonly (ChatMessage | Message)[] => {
    if (!isPlaceholder(item)) return [fillMessage(item, fill)];
    const list = given(item.name);
    return Array.isArray(list) ? list : [];
  });
  return { text: asText(messages), messages, missing };
}

const noMessages = `must be a list of messages, such as {"role": "user", "content": "…"}`;

/** The roles of messages, Google's name for the assistant, and none, for libraries with a class for each role. */
const rolesOfAll: readonly unknown[] = [...roles, "model", undefined];

/** Whether all items are messages of any SDK. An item of an API can have a `type` instead of a role. */
const isMessages = (list: unknown): boolean =>
  Array.isArray(list) &&
  list.every(
    (item: { role?: unknown; type?: unknown } | null) =>
      typeof item === "object" &&
      item !== null &&
      (rolesOfAll.includes(item.role) || typeof item.type === "string"),
  );

/** The names in an entry file. */
interface Used {
  /** The variables, each once. */
  names: readonly string[];
  /** The placeholders for messages, each once. */
  places: readonly string[];
}

/**
 * The names that a version uses, whatever it declares.
 * @throws {RenderError} `invalid_entry` if it cannot be rendered.
 */
export const usedIn = (version: RenderableVersion): Used => readEntry(version);

/** A parsed entry file: its messages and their templates. */
interface Entry extends Used {
  items: readonly ChatItem[];
  templates: ReadonlyMap<string, Template>;
}

/**
 * Parsed entry files. Parsing takes longer than filling in, and applications use the same few prompts all the time. The key is
 * the text of the file, so a changed version is always parsed again.
 */
const entries = new Map<string, Entry & { path: string }>();
const maxEntries = 100;
const maxEntryLength = 65_536;

function readEntry({ entry: path, files }: RenderableVersion): Entry {
  const file = files.find((one) => one.path === path);
  if (file?.content === undefined || file.encoding !== "utf8") {
    throw new RenderError("invalid_entry", `${path} has no text. Read the version with its files.`);
  }
  const known = entries.get(file.content);
  if (known?.path === path) return known;
  const { items, isLiteral } = readItems(path, file.content);
  const texts = isLiteral ? [] : items.flatMap(templatesOf);
  const templates = new Map(texts.map((text) => [text, readTemplate(text)]));
  const places = [...new Set(items.filter(isPlaceholder).map(({ name }) => name))];
  const entry = { path, items, templates, names: namesIn(...templates.values()), places };
  if (file.content.length <= maxEntryLength) {
    if (entries.size >= maxEntries) entries.clear();
    entries.set(file.content, entry);
  }
  return entry;
}

/** The messages of an entry file. */
interface Items {
  items: ChatItem[];
  /** Whether braces in them are text. */
  isLiteral: boolean;
}

/**
 * The messages of an entry file: one for Markdown, without its frontmatter.
 * @throws {RenderError} `invalid_entry` if a CHAT.json has none.
 */
export function readItems(path: string, text: string): Items {
  if (path === entryFiles.chat) return readChat(text);
  const { yaml, body } = splitFrontmatter(text);
  const role = path === entryFiles.text || path === entryFiles.command ? "user" : "system";
  return {
    items: [{ role, content: body }],
    isLiteral: path === entryFiles.skill || declaresNoVariables(yaml),
  };
}

function readChat(text: string): Items {
  const { messages: items, variables } = parseJson(text) ?? {};
  if (Array.isArray(items) && items.every(isItem)) return { items, isLiteral: variables === false };
  throw new RenderError("invalid_entry", `${entryFiles.chat} does not contain a list of messages.`);
}

function parseJson(text: string): { messages?: unknown; variables?: unknown } | null {
  try {
    return JSON.parse(withoutByteOrderMark(text));
  } catch {
    return null;
  }
}

function isItem(item: Partial<Record<"type" | "name" | "role" | "content", unknown>> | null): boolean {
  if (item?.type === "placeholder") return typeof item.name === "string";
  if (typeof item?.role !== "string") return false;
  const { content } = item;
  return (
    typeof content === "string" || Array.isArray(content) || ((content ?? null) === null && isCall(item))
  );
}

const isPlaceholder = (item: ChatItem): item is ChatPlaceholder => item.type === "placeholder";

/** The texts of a chat's item that are filled in. */
export const templatesOf = ({ type, content }: { type?: unknown; content?: unknown }): string[] =>
  type === "placeholder" ? [] : textsOf(content);

const textsOf = (content: unknown): string[] =>
  typeof content === "string"
    ? [content]
    : (Array.isArray(content) ? content : [])
        .map((part) => part?.text)
        .filter((text) => typeof text === "string");

/** A message with more than a role and a text is cloned deeply, so that a caller's changes do not affect the next result. */
export function fillMessage(message: ChatMessage, fill: (text: string) => string): ChatMessage {
  const { role, content, ...rest } = message;
  if (typeof content === "string" && Object.keys(rest).length === 0) return { role, content: fill(content) };
  const copy = structuredClone(message);
  if (typeof copy.content === "string") copy.content = fill(copy.content);
  else
    copy.content &&= copy.content.map((part) =>
      typeof part?.text === "string" ? { ...part, text: fill(part.text) } : part,
    );
  return copy;
}

/** The texts of messages as one. If there are several, their roles are headings, except for a system and a user message. */
export function asText(messages: readonly unknown[]): string {
  const sections = (messages as Partial<ChatMessage>[]).map((message) => {
    const role = String(message?.role);
    return {
      role,
      heading: `## ${role.charAt(0).toUpperCase()}${role.slice(1)}`,
      body: textsOf(message?.content).join("\n"),
    };
  });
  const roles = sections.map(({ role }) => role).join();
  const isPlain = sections.length < 2 || roles === "system,user";
  return sections.map(({ heading, body }) => (isPlain ? body : `${heading}\n\n${body}`)).join("\n\n");
}
