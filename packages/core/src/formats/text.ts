import { readTemplate } from "../template/render.ts";
import { FormatError, type FormatPrompt } from "./format.ts";

/**
 * What a prompt is for, as one line of at most `max` characters: its own `description`, else the summary, else the first
 * sentence of its text.
 */
export function describe(prompt: FormatPrompt, max = 1024): string {
  return saidOf(prompt, max) ?? shown(firstSentence(prompt.body) || prompt.title, max);
}

/** The same, undefined if nobody said it: where a tool does without, an invented one could change when it takes the prompt. */
export function saidOf({ data, summary }: FormatPrompt, max = 1024): string | undefined {
  const own = typeof data["description"] === "string" ? data["description"] : undefined;
  const text = oneLine(own ?? summary ?? "");
  return text === "" ? undefined : shown(text, max);
}

/** A template is no description: a variable is shown by its name. */
const shown = (text: string, max: number): string =>
  cut(
    replaceVariables(text, (name) => `<${name}>`),
    max,
  );

/** A text without its line breaks. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

function firstSentence(body: string): string {
  const line = body.split("\n").find((one) => /\p{L}/u.test(one) && !one.startsWith("#")) ?? "";
  return oneLine(/^.*?[.!?。！？](?=\s|$)/u.exec(line)?.[0] ?? line);
}

/** Cuts between words where it can, and never through a character. */
function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const start = text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, "");
  return `${start.replace(/(?<!\s)\s+\S{0,30}$/, "")}…`;
}

/** The beginning of a text for a sentence that stands in a header, which takes ASCII alone. */
export const printable = (text: string): string => text.slice(0, 60).replace(/[^\x20-\x7e]/g, "?");

/** More than any tool reads. Without a limit, a long default in place of each of many marks would fill the memory. */
const maxText = 1024 * 1024;

/**
 * A template in the syntax of a tool: `mark` writes each variable. A `\{{` becomes `{{`.
 * @throws {FormatError} `format_too_large` above 1 Mi UTF-16 units.
 */
export function replaceVariables(template: string, mark: (name: string) => string): string {
  let text = "";
  for (const piece of readTemplate(template)) {
    text += typeof piece === "string" ? piece : mark(piece.name);
    if (text.length > maxText)
      throw new FormatError("format_too_large", "In this format the text is longer than 1 Mi characters.");
  }
  return text;
}

/** What a chat loses as one text. */
export function lossesOfText({ messages }: FormatPrompt): string[] {
  const isLost = messages.some(
    (item) =>
      !("role" in item) ||
      (Array.isArray(item.content) && item.content.some((part) => typeof part?.text !== "string")),
  );
  return isLost
    ? ["Only the texts of the messages are kept, without images and places for further messages."]
    : [];
}

/** A text file that ends with one line break. */
export const textFile = (path: string, text: string) => ({
  path,
  mode: "100644" as const,
  content: `${text.trimEnd()}\n`,
});

/** JSON as a file. */
export const jsonFile = (path: string, value: unknown) => textFile(path, JSON.stringify(value, null, 2));

/** Bytes as base64, in pieces that a call takes as arguments. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8192) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return btoa(binary);
}
