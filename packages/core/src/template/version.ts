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
interface MessageOf<Role extends string> {
  role: Role;
  content: string | ChatPart[];
  name?: string;
  [key: string]: unknown;
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
export interface AssistantMessage extends MessageOf<"assistant"> {
  tool_calls?: ChatToolCall[];
}
/** What a tool answered. */
export interface ToolMessage extends MessageOf<"tool"> {
  /** The `id` of the call; a CHAT.json is not held to it. */
  tool_call_id?: string;
}

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
  const { missing, unknown } = faults;
  const known = new Set(places);
  missing.push(...places.filter((name) => !Object.hasOwn(lists, name)));
  unknown.push(...Object.keys(lists).filter((name) => !known.has(name)));
  if (strict) refuse(faults);

  const fillIn = filler(texts);
  const fill = (text: string) => fillIn(templates.get(text) ?? [text]);
  const messages = items.flatMap((item): readonly (ChatMessage | Message)[] => {
    if (!isPlaceholder(item)) return [fillMessage(item, fill)];
    return Object.hasOwn(lists, item.name) ? (lists[item.name] ?? []) : [];
  });
  return { text: asText(messages), messages, missing };
}

/** An entry file as it was read: its messages, and what is filled in of their texts. */
interface Entry {
  items: readonly ChatItem[];
  templates: ReadonlyMap<string, Template>;
  /** All that is filled in, each once. */
  names: readonly string[];
  /** The placeholders for messages, each once. */
  places: readonly string[];
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

const isItem = (item: Partial<Record<"type" | "name" | "role" | "content", unknown>> | null) =>
  item?.type === "placeholder"
    ? typeof item.name === "string"
    : typeof item?.role === "string" && (typeof item.content === "string" || Array.isArray(item.content));

const isPlaceholder = (item: ChatItem): item is ChatPlaceholder => item.type === "placeholder";

/** The texts of an item of a chat that are filled in. */
export const templatesOf = (item: ChatItem): string[] => (isPlaceholder(item) ? [] : textsOf(item.content));

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
  copy.content =
    typeof copy.content === "string"
      ? fill(copy.content)
      : copy.content.map((part) =>
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
