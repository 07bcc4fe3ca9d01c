import type { PromptKind } from "../../content/kinds.ts";
import { type Expansion, fileReferences, shellCommands } from "../../formats/safety.ts";
import { type ImportDraft, ImportError, type TextDetector } from "../detector.ts";
import { rewritePlaceholders, type Syntax } from "../text/placeholders.ts";
import { markdownOf } from "./draft.ts";
import { readLenient } from "./frontmatter.ts";
import { wordsOf } from "./names.ts";
import { textIn, textsIn, type Values } from "./values.ts";

/** A Markdown file of a coding tool. */
interface ToolFile {
  name: string;
  title: string;
  documentation: string;
  kind: Extract<PromptKind, "command" | "agent" | "rule" | "text">;
  /** What it is called by stands before its ending. */
  path: RegExp;
  /** The file that must lie where the path of the tool begins. */
  marker?: string;
  confidence?: number;
  syntax?: Syntax;
  /** Whether `{{name}}` is a variable there, as in a file of ours. */
  isOurs?: boolean;
  /** Keys that say nothing where the file comes to. */
  omits?: readonly string[];
  /** The tool's own fields in our names. */
  fields?: (data: Values) => Values;
  /** What the tool does by itself where it meets this in the text. */
  expands?: readonly Expansion[];
}

/** What the tool runs, or reads, where it meets a mark in the text. Elsewhere the mark is text. */
export const runsCommands = (find = shellCommands.find): Expansion => ({
  find,
  does: "runs a command there. Here it is text",
});
export const readsFiles = (find = fileReferences.find): Expansion => ({
  find,
  does: "reads a file there. Here it is text",
});

/** A detector of Markdown files with frontmatter. */
export const toolFile = ({ path: place, marker, confidence = 1, ...file }: ToolFile): TextDetector => ({
  name: file.name,
  title: file.title,
  documentation: file.documentation,
  confidence,
  takes: (path) => place.test(path),
  async read({ path, text }, around) {
    const match = place.exec(path);
    const root = path.slice(0, match?.[0].startsWith("/") ? match.index + 1 : 0);
    if (marker !== undefined && (await around.read(`${root}${marker}`)) === null) return [];
    const { data, body, warnings } = readLenient(text);
    if (body.trim() === "") throw new ImportError("It has no text.");
    const named = match?.slice(1).find(Boolean);
    return [toolDraft({ ...file, called: named?.replace(/\/$/, "") ?? file.name, data, body, warnings })];
  },
});

type Read = Omit<ToolFile, "path" | "marker" | "confidence"> & {
  called: string;
  data: Values;
  body: string;
  warnings: readonly string[];
};

/** The draft of a file that was read. */
export function toolDraft({
  kind,
  called,
  data,
  body,
  warnings,
  syntax = "none",
  isOurs = false,
  ...file
}: Read): ImportDraft {
  // Its author says that it has no variables.
  const hasNone = data["variables"] === false;
  const {
    text,
    isLiteral,
    warnings: changes,
  } = rewritePlaceholders(body, hasNone ? "none" : syntax, {
    isOurs: isOurs && !hasNone,
  });
  const { title, name, description, license, tags, ...others } = data;
  const models = textsIn(others["model"]);
  if (Array.isArray(others["model"])) others["model"] = models[0];
  const left = Object.entries(others).filter(([key]) => file.omits?.includes(key) !== true);
  const fields = {
    ...(kind === "agent" && typeof name === "string" ? { name } : {}),
    ...(kind === "text" || textIn(description) === null ? {} : { description: textIn(description) }),
    ...Object.fromEntries(left),
    ...file.fields?.(data),
    ...(isLiteral && { variables: false }),
  };
  const known = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return {
    part: null,
    kind,
    name: called,
    title:
      textIn(title) ??
      (kind === "rule" ? textIn(name) : null) ??
      headingOf(body) ??
      (kind === "agent" ? textIn(name) : null) ??
      wordsOf(called),
    summary: textIn(description),
    tags: textsIn(tags),
    license: textIn(license),
    entry: markdownOf(Object.fromEntries(known), isLiteral ? body : text),
    warnings: [
      ...warnings,
      ...(models.length > 1 ? [`Of its models the first is taken: ${models[0]}.`] : []),
      ...changes,
      ...expanded(body, file),
    ],
  };
}

function expanded(body: string, { title, expands = [] }: Pick<Read, "title" | "expands">): string[] {
  return expands.flatMap(({ find, does }) => {
    const mark = find(body);
    if (mark === null) return [];
    const line = body.slice(0, mark.index).split("\n").length;
    return [`Line ${line} of its text: ${mark.found.slice(0, 60)}: ${title.split(" ")[0]} ${does}.`];
  });
}

/** The only heading of the first level outside of code, if it stands near the beginning: several are those of parts. */
function headingOf(body: string): string | null {
  const [, heading] = /^(?:(?!```)[^\n]*\n){0,20}?#[ \t]+([^\n]{1,140})/.exec(body) ?? [];
  const headings = body.replace(/^```[^]*?(?:^```|(?![^]))/gm, "").match(/^#[ \t]/gm) ?? [];
  return headings.length === 1 ? textIn(heading?.replace(/(?<![ \t#])[ \t#]+$/, "")) : null;
}

/** The fields of a command of Claude Code, which others took over. */
export const commandFields = (data: Values): Values => ({
  "argument-hint": undefined,
  "allowed-tools": undefined,
  argumentHint: listText(data["argument-hint"]),
  tools: data["allowed-tools"] ?? data["tools"],
});

const listText = (value: unknown): string | undefined =>
  Array.isArray(value) ? value.map((one) => `[${String(one)}]`).join(" ") : (textIn(value) ?? undefined);

/** The globs of a rule: a list, or a text with commas. Those in braces are no separate ones. */
export const globsIn = (value: unknown): string[] | undefined => {
  const globs = typeof value === "string" ? (value.match(/(?:\{[^{}]*\}|[^,])+/g) ?? []) : textsIn(value);
  const named = globs.flatMap((glob) => glob.trim() || []);
  return named.length === 0 ? undefined : named;
};
