import type { PromptKind } from "../groups/prompts/kinds.ts";
import { FormatError, type FormatPrompt } from "./format.ts";

/** Something in a text that a tool acts on before the model sees it. */
export interface Expansion {
  pattern: RegExp;
  /** The end of a sentence that begins with the tool. */
  does: string;
}

/** A command in backticks or in a fence, after an exclamation mark. Claude Code and OpenCode run it. */
export const shellCommands: Expansion = {
  pattern: /!`|```!/,
  does: "runs the shell commands that stand in the text",
};

/**
 * `@` before a path. A word alone, such as `@alice` or `@Override`, is none. Each part fails at its first wrong character, so
 * that hostile texts take linear time.
 */
export const fileReferences: Expansion = {
  pattern: /(?<!\w)@(?:[~./\\]|[A-Za-z]:|[\w-]+(?:\.[\w-]+)*[\\/]|[\w-]+\.\w{1,5}\b(?!\())/,
  does: "reads the files that the text names after @",
};

/** Kinds whose authors write for such tools, and mean what they write. */
const intended: readonly PromptKind[] = ["command", "skill"];

/**
 * Refuses a text that a tool would act on, since nobody expects that of a text. A command or a skill may do so, with a warning.
 * @throws {FormatError} `format_unsafe`.
 */
export function checkExpansions(
  { kind }: FormatPrompt,
  text: string,
  tool: string,
  expansions: readonly Expansion[],
): string[] {
  const sentences = expansionsIn(text, tool, expansions);
  if (sentences.length === 0 || intended.includes(kind)) return sentences;
  throw new FormatError(
    "format_unsafe",
    `${sentences.join(" ")} Only a command may want that, not a prompt of kind ${kind}.`,
  );
}

/** A sentence for each thing that a tool would act on. */
export const expansionsIn = (text: string, tool: string, expansions: readonly Expansion[]): string[] =>
  expansions.filter(({ pattern }) => pattern.test(text)).map(({ does }) => `${tool} ${does}.`);
