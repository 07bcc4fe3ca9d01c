import type { Template } from "../template/render.ts";
import { type ChatItem, type ChatMessage, type ChatPlaceholder, fillMessage } from "../template/version.ts";
import { FormatError, type FormatPrompt } from "./format.ts";
import { replaceVariables } from "./text.ts";

/** A message that is only text, or a placeholder for the caller's messages. */
export type PlainItem = { role: "system" | "user" | "assistant"; text: string } | { placeholder: string };

/** Whether an item stands for messages of the caller. */
export const isPlaceholder = (item: ChatItem): item is ChatPlaceholder => item.type === "placeholder";

/** The messages for a format that takes our templates. A text without variables stands in it without escapes. */
export const asTemplates = ({ data, messages }: FormatPrompt): readonly ChatItem[] =>
  data["variables"] === false
    ? messages.map((item) => (isPlaceholder(item) ? item : fillMessage(item, printed)))
    : messages;

const printed = (template: string) => replaceVariables(template, (name) => `{{${name}}}`);

/**
 * The messages for a format that knows three roles, and texts alone. `developer` is OpenAI's name for `system`.
 * @throws {FormatError} `format_not_supported` for calls and results of tools, and for parts such as images.
 */
export const plainItems = ({ messages }: FormatPrompt, format: string): PlainItem[] =>
  messages.map((item, index) => {
    if (isPlaceholder(item)) return { placeholder: item.name };
    const refuse = (what: string) =>
      new FormatError("format_not_supported", `${format} cannot express message ${index + 1}: ${what}.`);
    const { role } = item;
    if (role === "tool" || item["tool_calls"] !== undefined) throw refuse("it calls a tool or is its result");
    return { role: role === "developer" ? "system" : role, text: textOf(item, refuse) };
  });

function textOf({ content }: ChatMessage, refuse: (what: string) => FormatError): string {
  if (typeof content === "string") return content;
  const parts = content ?? [];
  const other = parts.find(({ type, text }) => type !== "text" || typeof text !== "string");
  if (other !== undefined) throw refuse(`it has a part of type ${other.type}`);
  return parts.map(({ text }) => text).join("\n");
}

/** A sentence about the placeholders that a format leaves out, if there are any. */
export function omittedPlaceholders({ messages }: FormatPrompt): string[] {
  const names = messages.filter(isPlaceholder).map(({ name }) => name);
  return names.length === 0
    ? []
    : [`The placeholders for messages are left out: ${[...new Set(names)].join(", ")}.`];
}

/** A template in the syntax of a tool, whose own marks in literal text are escaped. Literal text is given in one piece. */
export function writeTemplate(
  template: Template,
  mark: (name: string) => string,
  escape: (literal: string, isBeforeMark: boolean) => string,
): string {
  let text = "";
  let literal = "";
  for (const piece of template) {
    if (typeof piece === "string") {
      literal += piece;
    } else {
      text += escape(literal, true) + mark(piece.name);
      literal = "";
    }
  }
  return text + escape(literal, false);
}
