import type { PromptKind } from "../content/kinds.ts";
import { splitFrontmatter } from "../template/frontmatter.ts";
import { FormatError, type FormatPrompt } from "./format.ts";
import { printable } from "./text.ts";

/** Something in a text that a tool acts on before the model sees it. */
export interface Expansion {
  /** Where the first one is; null if there is none. It takes linear time, also on hostile texts. */
  find: (text: string) => { index: number; found: string } | null;
  /** The end of a sentence that begins with the tool. */
  does: string;
}

/** A command in backticks or in a fence, after an exclamation mark. Claude Code and OpenCode run it. */
export const shellCommands: Expansion = {
  find: (text) => firstOf(text, /```!|!`[^`\n]{0,60}`?/g),
  does: "runs the shell commands in the text",
};

/**
 * `@` before a path: it has a slash, a short ending, or quotes. A word alone, such as `@alice`, is none, and neither is a package
 * in code or quotes.
 */
export const fileReferences: Expansion = {
  find: (text) =>
    firstOf(
      withoutQuoted(text).replace(code, (part) => part.replace(packages, " ")),
      marks,
      ([mark]) => isPath(mark.slice(1)),
    ),
  does: "reads the files that the text names after @",
};

/** `@` before words with dots or slashes, which may be a file, a decorator or a package. It is worth a warning. */
export const joinedWords: Expansion = {
  find: (text) =>
    firstOf(withoutQuoted(text), marks, ([mark]) => /[./][\p{L}\p{N}]/u.test(nameOf(mark.slice(1)))),
  does: "may take words after @ for a file",
};

/** `@` before any word. OpenCode and Continue take it for a file, if there is one of that name. */
export const anyWords: Expansion = {
  find: (text) => firstOf(text, /(?<![\w`])@[^\s`,.]+/g),
  does: "may take words after @ for a file",
};

const marks = /(?<!\w)@[^\s@]+/g;

/** A fence, up to the end if nothing closes it, or a line's part in backticks. */
const code = /```[^]*?(?:```|$)|`[^`\n]*`/g;
const packages = /@(?=[a-z0-9][\w-]*(?:\/[\w-]+)+(?![\w/\\-]|\.\w))/g;
const quotedPackages = /(["'`])@(?=\/?\w[\w-]*(?:\/[\w-]+)*\1)/g;

/** Without packages in quotes: a tool wants a space before the `@`, or takes the second quote for a part of the name. */
const withoutQuoted = (text: string): string => text.replace(quotedPackages, "$1 ");

/** As far as it can be a name. A call, as of a decorator, is none. */
function nameOf(run: string): string {
  const [name = ""] = run.split(/[`,;()<>{}[\]"'!?]/, 1);
  return run[name.length] === "(" ? "" : name.replace(/(?<![.:])[.:]+$/, "");
}

function isPath(run: string): boolean {
  if (/^["']/.test(run)) return /[./\\]/.test(run);
  const name = nameOf(run);
  return /^(?:[~.]|[A-Za-z]:)|[/\\]/.test(name) || /\.[\p{L}\p{N}_-]{1,5}$/u.test(name);
}

/** The first match of a global pattern that is meant. */
export function firstOf(
  text: string,
  pattern: RegExp,
  isMeant: (match: RegExpExecArray) => boolean = () => true,
): ReturnType<Expansion["find"]> {
  for (const match of text.matchAll(pattern))
    if (isMeant(match)) return { index: match.index, found: match[0] };
  return null;
}

/** Kinds whose authors write for such tools, and mean what they write. */
const intended: readonly PromptKind[] = ["command", "skill"];

/**
 * Refuses a text that a tool would act on, since nobody expects that of a text. A command or a skill may do so, with a warning.
 * @throws {FormatError} `format_unsafe`.
 */
export function checkExpansions(
  prompt: FormatPrompt,
  text: string,
  tool: string,
  expansions: readonly Expansion[],
): string[] {
  const sentences = expansionsIn(prompt, text, tool, expansions);
  if (sentences.length === 0 || intended.includes(prompt.kind)) return sentences;
  throw new FormatError(
    "format_unsafe",
    `${sentences.join(" ")} This format refuses that in a prompt of kind ${prompt.kind}. Change the text, or choose a format that no tool acts on, such as markdown.`,
  );
}

/** The same for the files that a rule may name, since rules do so in such tools. Nobody means it so in a text. */
export const checkRule = (prompt: FormatPrompt, text: string, tool: string): string[] =>
  (prompt.kind === "text" ? checkExpansions : expansionsIn)(prompt, text, tool, [fileReferences]);

/** A sentence for each thing in `text`, as the format writes it, that a tool would act on, with the first of them. */
export const expansionsIn = (
  prompt: FormatPrompt,
  text: string,
  tool: string,
  expansions: readonly Expansion[],
): string[] =>
  expansions.flatMap(({ find, does }) => {
    const first = find(text);
    if (first === null) return [];
    return [`${tool} ${does}${lineOf(prompt, find, first.found)}: ${printable(first.found)}.`];
  });

/** Where it stands in the entry file. What a default or an escape brings into the text stands nowhere. */
function lineOf({ files, version }: FormatPrompt, find: Expansion["find"], found: string): string {
  const entry = files.find(({ path }) => path === version.entry)?.content;
  if (typeof entry !== "string") return "";
  const { body } = splitFrontmatter(entry);
  const first = find(body);
  if (first?.found !== found) return "";
  const before = entry.slice(0, entry.length - body.length + first.index);
  return ` (line ${before.split("\n").length})`;
}
