import { isPlaceholder } from "../../formats/messages.ts";
import type { ChatItem, ChatMessage } from "../../template/version.ts";
import { ImportError } from "../detector.ts";
import { isObject, type Values } from "./values.ts";

const ourRoles: Readonly<Record<string, ChatMessage["role"]>> = {
  system: "system",
  developer: "developer",
  user: "user",
  human: "user",
  assistant: "assistant",
  ai: "assistant",
  model: "assistant",
  tool: "tool",
  function: "tool",
};

/** Our name for the role of a message. */
export function roleOf(role: unknown, index: number): ChatMessage["role"] {
  const ours = Object.hasOwn(ourRoles, String(role)) ? ourRoles[String(role)] : undefined;
  if (ours !== undefined) return ours;
  throw new ImportError(
    `Message ${index + 1} has the role ${JSON.stringify(role)}, which no message here can have.`,
  );
}

/** Whether a value is a list of messages, as most APIs take them. */
export const isMessages = (list: unknown): list is Values[] =>
  Array.isArray(list) &&
  list.length > 0 &&
  list.every((one) => isObject(one) && (typeof one["role"] === "string" || one["type"] === "placeholder"));

/** Messages with our names for their roles. Other keys, such as calls of tools, stay. */
export const readMessages = (list: readonly Values[]): ChatItem[] =>
  list.map((message, index) => {
    if (message["type"] === "placeholder") return { type: "placeholder", name: String(message["name"]) };
    const { role, content, type: _, ...rest } = message;
    return { role: roleOf(role, index), content, ...rest } as ChatMessage;
  });

/** A message whose texts are changed. */
export function withTexts(item: ChatMessage, change: (text: string) => string): ChatMessage {
  const { content } = item;
  if (typeof content === "string") return { ...item, content: change(content) };
  if (!Array.isArray(content)) return item;
  const parts = content.map((part) =>
    typeof part?.text === "string" ? { ...part, text: change(part.text) } : part,
  );
  return { ...item, content: parts };
}

/** The text of a message of a user that is the only one, and only text. */
export function onlyText([item, ...others]: readonly ChatItem[]): string | undefined {
  if (item === undefined || others.length > 0 || isPlaceholder(item)) return undefined;
  const isPlain = item.role === "user" && Object.keys(item).length === 2;
  return isPlain && typeof item.content === "string" ? item.content : undefined;
}
