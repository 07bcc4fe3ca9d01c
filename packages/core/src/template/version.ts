import { entryFiles } from "../groups/prompts/kinds.ts";
import { splitFrontmatter, withoutByteOrderMark } from "./frontmatter.ts";
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

/** A part of a message that is more than text, such as an image; only `text` is filled in. */
export interface ChatPart {
  type: string;
  text?: string;
  [key: string]: unknown;
}

/** What every message of a chat has; further keys stay as they are. */
interface AnyMessage<Role extends string> {
  role: Role;
  name?: string;
  [key: string]: unknown;
}
interface MessageOf<Role extends string> extends AnyMessage<Role> {
  content: string | ChatPart[];
}

/** A call that a model made of a tool, in the form that most SDKs share. */
export interface ChatToolCall {
  id: string;
  type: "function";
  /** `arguments` is JSON. */
  function: { name: string; arguments: string };
}

export type SystemMessage = MessageOf<"system" | "developer">;
export type UserMessage = MessageOf<"user">;
export interface AssistantMessage extends AnyMessage<"assistant"> {
  /** Absent or null where it only calls tools. */
  content?: string | ChatPart[] | null;
  tool_calls?: ChatToolCall[];
}
/** What a tool answered. */
export interface ToolMessage extends MessageOf<"tool"> {
  /** The `id` of the call; a CHAT.json is not held to it. */
  tool_call_id?: string;
}

/** The roles that messages of a chat can have. */
export const roles = ["system", "developer", "user", "assistant", "tool"] as const;

/** Whether a message can do without content: it is that of a model, and calls tools. */
export const isCall = ({ role, tool_calls: calls }: { role?: unknown; tool_calls?: unknown }): boolean =>
  role === "assistant" && Array.isArray(calls) && calls.length > 0;

/** One message of a chat. */
export type ChatMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** Where a caller's own messages go, such as the conversation so far. */
export interface ChatPlaceholder {
  type: "placeholder";
  name: string;
}
/** What the list of messages in CHAT.json holds. */
export type ChatItem = ChatMessage | ChatPlaceholder;

/** What rendering needs of a version; the one that the API answers with its files fits. */
export interface RenderableVersion {
  /** The path of the entry file, which tells the kind. */
  entry: string;
  files: readonly { path: string; encoding: "utf8" | "base64"; content?: string }[];
  variables: readonly Variable[];
}

/** How a whole version is filled in. */
export interface RenderVersionOptions<Message = ChatMessage> extends RenderOptions {
  /** The messages for each placeholder of a chat, passed through untouched; an empty list leaves its place empty. */
  messages?: Readonly<Record<string, readonly Message[]>>;
}

/** A filled prompt, in the two forms that models take. */
export interface RenderedVersion<Message = ChatMessage> {
  /** One text; of a chat, its messages under one another, with their roles as headings where there are several. */
  text: string;
  /** Messages; a text, command or media prompt is one of the user, the other Markdown kinds are one of the system. */
  messages: (ChatMessage | Message)[];
  /** Variables and message placeholders that were left open; always empty when strict. */
  missing: string[];
}

/**
 * Fills in a version's entry file. A skill's text is never filled in.
 * @throws {RenderError} `missing_variables` when strict, `invalid_entry` when the files came without their
 *   content, `payload_too_large` past 16 Mi UTF-16 units.
 */
export function renderVersion<Message = ChatMessage>(
  version: RenderableVersion,
  values: Values = {},
  { strict = true, messages: lists = {} }: RenderVersionOptions<Message> = {},
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

  const fillIn = filler(texts);
  const fill = (text: string) => fillIn(templates.get(text) ?? [text]);
  const messages = items.flatMap((item): readonly (ChatMessage | Message)[] => {
    if (!isPlaceholder(item)) return [fillMessage(item, fill)];
    const list = given(item.name);
    return Array.isArray(list) ? list : [];
  });
  return { text: asText(messages), messages, missing };
}

const noMessages = `must be a list of messages, such as {"role": "user", "content": "…"}`;

/** Those of a message, Google's name for the assistant, and none, as where a library has a class for each. */
const rolesOfAll: readonly unknown[] = [...roles, "model", undefined];

/** Whether all are messages, of whichever SDK: an item of an API can have a role of its own. */
const isMessages = (list: unknown): boolean =>
  Array.isArray(list) &&
  list.every(
    (item: { role?: unknown; type?: unknown } | null) =>
      typeof item === "object" &&
      item !== null &&
      (rolesOfAll.includes(item.role) || typeof item.type === "string"),
  );

/** What an entry file asks for. */
interface Used {
  /** All that is filled in, each once. */
  names: readonly string[];
  /** The placeholders for messages, each once. */
  places: readonly string[];
}

/**
 * What a version is filled in with, whatever it declares.
 * @throws {RenderError} `invalid_entry` for what cannot be rendered.
 */
export const usedIn = (version: RenderableVersion): Used => readEntry(version);

/** An entry file as it was read: its messages, and what is filled in of their texts. */
interface Entry extends Used {
  items: readonly ChatItem[];
  templates: ReadonlyMap<string, Template>;
}

/**
 * Reading takes longer than filling in, and applications fill in the same few prompts all the time. By the text of the
 * file, so that whatever a caller does to a version, it is read as it is.
 */
const entries = new Map<string, Entry & { path: string }>();
const mostEntries = 100;
const longestEntry = 65_536;

function readEntry({ entry: path, files }: RenderableVersion): Entry {
  const file = files.find((one) => one.path === path);
  if (file?.content === undefined || file.encoding !== "utf8") {
    throw new RenderError("invalid_entry", `${path} came without its text. Read the version with its files.`);
  }
  const known = entries.get(file.content);
  if (known?.path === path) return known;
  const items = readItems(path, file.content);
  const texts = path === entryFiles.skill ? [] : items.flatMap(templatesOf);
  const templates = new Map(texts.map((text) => [text, readTemplate(text)]));
  const places = [...new Set(items.filter(isPlaceholder).map(({ name }) => name))];
  const entry = { path, items, templates, names: namesIn(...templates.values()), places };
  if (file.content.length <= longestEntry) {
    if (entries.size >= mostEntries) entries.clear();
    entries.set(file.content, entry);
  }
  return entry;
}

function readItems(path: string, text: string): ChatItem[] {
  if (path === entryFiles.chat) return readChat(text);
  const role = path === entryFiles.text || path === entryFiles.command ? "user" : "system";
  return [{ role, content: splitFrontmatter(text).body }];
}

function readChat(text: string): ChatItem[] {
  const items: unknown = parseJson(text)?.messages;
  if (Array.isArray(items) && items.every(isItem)) return items;
  throw new RenderError("invalid_entry", `${entryFiles.chat} does not hold a list of messages.`);
}

function parseJson(text: string): { messages?: unknown } | null {
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

/** The texts of an item of a chat that are filled in. */
export const templatesOf = ({ type, content }: { type?: unknown; content?: unknown }): string[] =>
  type === "placeholder" ? [] : textsOf(content);

const textsOf = (content: unknown): string[] =>
  typeof content === "string"
    ? [content]
    : (Array.isArray(content) ? content : [])
        .map((part) => part?.text)
        .filter((text) => typeof text === "string");

/** What is more than a role and a text is copied to its depths: what a caller does with it must not come again. */
function fillMessage(message: ChatMessage, fill: (text: string) => string): ChatMessage {
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

function asText(messages: readonly unknown[]): string {
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
