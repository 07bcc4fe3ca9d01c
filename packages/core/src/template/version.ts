import { entryFiles } from "../groups/prompts/kinds.ts";
import { splitFrontmatter, withoutByteOrderMark } from "./frontmatter.ts";
import {
  filler,
  placeholders,
  RenderError,
  type RenderOptions,
  refuse,
  resolve,
  type Values,
} from "./render.ts";
import type { Variable } from "./variable.ts";

/** A part of a message that is more than text, such as an image; only `text` is filled in. */
export interface ChatPart {
  type: string;
  text?: string;
  [key: string]: unknown;
}

/** One message of a chat; further keys, such as `tool_calls`, stay as they are. */
export interface ChatMessage {
  role: "system" | "developer" | "user" | "assistant" | "tool";
  content: string | ChatPart[];
  name?: string;
  [key: string]: unknown;
}

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
  const items = readItems(version);
  const isSkill = version.entry === entryFiles.skill;
  const used = isSkill ? [] : items.flatMap(templates).flatMap(placeholders);
  const { texts, faults } = resolve(used, version.variables, values);
  const places = new Set(items.filter(isPlaceholder).map(({ name }) => name));
  const missing = [...faults.missing, ...[...places].filter((name) => !Object.hasOwn(lists, name))];
  const unknown = [...faults.unknown, ...Object.keys(lists).filter((name) => !places.has(name))];
  if (strict) refuse({ ...faults, missing, unknown });

  const fill = isSkill ? (text: string) => text : filler(texts);
  const messages = items.flatMap((item): readonly (ChatMessage | Message)[] => {
    if (!isPlaceholder(item)) return [{ ...item, content: fillContent(item.content, fill) }];
    return Object.hasOwn(lists, item.name) ? (lists[item.name] ?? []) : [];
  });
  return { text: asText(messages), messages, missing };
}

function readItems({ entry, files }: RenderableVersion): ChatItem[] {
  const file = files.find(({ path }) => path === entry);
  if (file?.content === undefined || file.encoding !== "utf8") {
    throw new RenderError(
      "invalid_entry",
      `${entry} came without its text. Read the version with its files.`,
    );
  }
  if (entry === entryFiles.chat) return readChat(file.content);
  const role = entry === entryFiles.text || entry === entryFiles.command ? "user" : "system";
  return [{ role, content: splitFrontmatter(file.content).body }];
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
export const templates = (item: ChatItem): string[] => (isPlaceholder(item) ? [] : textsOf(item.content));

const textsOf = (content: unknown): string[] =>
  typeof content === "string"
    ? [content]
    : (Array.isArray(content) ? content : [])
        .map((part) => part?.text)
        .filter((text) => typeof text === "string");

const fillContent = (content: ChatMessage["content"], fill: (template: string) => string) =>
  typeof content === "string"
    ? fill(content)
    : content.map((part) => (typeof part?.text === "string" ? { ...part, text: fill(part.text) } : part));

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
