import { describeIssue } from "../language/describe-issue.ts";
import { declaresNoVariables, splitFrontmatter } from "../template/frontmatter.ts";
import { placeholders } from "../template/render.ts";
import type { Json, Variable } from "../template/variable.ts";
import { templatesOf } from "../template/version.ts";
import { issueLines, unknownEntryKeys, unknownKeys } from "./entry-issues.ts";
import { foreignTemplates } from "./foreign-template.ts";
import { Config, entrySchemas, Message, MessagePlaceholder } from "./entry-schemas.ts";
import type { CheckedFile } from "./files.ts";
import { entryFiles, type PromptKind } from "./kinds.ts";
import { type PlainData, readJson, readYaml } from "./plain-data.ts";
import type { Problem, Warning } from "./problem.ts";
import { readVariables } from "./variables.ts";

/** The data that a version derives from its entry file, and from nothing else. */
export interface Entry {
  /** The path of the entry file. */
  entry: string;
  variables: Variable[];
  /** As written, with keys that the registry does not know. */
  config: Record<string, Json>;
  /** UTF-8 bytes of the text for models, divided by four and rounded up. It is an estimate: each model counts differently. */
  tokenEstimate: number;
  warnings: Warning[];
  /** Empty if the files can become a version. */
  problems: Problem[];
}

const maxEntryBytes = 256 * 1024;
const maxFrontmatterBytes = 16 * 1024;
const maxSkillLines = 500;
/** A hostile file can have thousands, and nobody reads more than these. */
const maxProblems = 20;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Reads the entry file. `files` are all checked files, in the order sent, so that paths of problems match the request. A
 * skill should have the name `slug`.
 */
export function readEntry(kind: PromptKind, files: readonly CheckedFile[], slug: string): Entry {
  const entry = entryFiles[kind];
  const index = files.findIndex(({ path }) => path === entry);
  const path = index === -1 ? "/files" : `/files/${index}/content`;
  const found: Entry = { entry, variables: [], config: {}, tokenEstimate: 0, warnings: [], problems: [] };
  const refuse = (code: Problem["code"], message: string) => {
    if (found.problems.length < maxProblems) found.problems.push({ code, path, message });
  };
  const warn = (code: Warning["code"], message: string) => found.warnings.push({ code, path, message });

  const file = files[index];
  if (file === undefined) {
    refuse("invalid_entry", missingEntry(kind, files));
    return found;
  }
  if (file.size > maxEntryBytes) {
    refuse("payload_too_large", `${entry} is over 256 KiB, the most for an entry file.`);
    return found;
  }
  if (file.encoding !== "utf8") {
    refuse("invalid_entry", `${entry} is not UTF-8 text.`);
    return found;
  }
  const text = decoder.decode(file.bytes);
  const content = kind === "chat" ? readChat(text) : readMarkdown(kind, text);
  for (const problem of content.problems) refuse("invalid_entry", `${entry}: ${problem}.`);
  for (const { code, message } of content.warnings) warn(code, message);
  found.tokenEstimate = Math.ceil(encoder.encode(content.templates.join("")).length / 4);
  if (isObject(content.data.config)) found.config = content.data.config;
  if (kind === "skill") {
    for (const { code, message } of skillWarnings(text, content.data, slug)) warn(code, message);
    return found;
  }
  if (content.data.variables === false) return found;
  const used = [...new Set(content.templates.flatMap(placeholders))];
  const read = readVariables(content.data.variables, used, kind === "command" ? ["args"] : []);
  found.variables = read.variables;
  for (const problem of read.problems) refuse("invalid_variables", `${entry}: ${problem}.`);
  for (const mark of misnamed(content.templates)) {
    warn(
      "not_a_variable",
      `${mark} stays as it is: the name of a variable has letters from A to Z, digits and _ alone.`,
    );
  }
  for (const { code, message } of read.warnings) warn(code, message);
  // A chat has its texts in JSON, whose lines say little.
  const firstLine =
    kind === "chat" ? 1 : text.slice(0, text.length - content.templates[0]!.length).split("\n").length;
  const foreign = content.templates
    .slice(0, maxProblems)
    .flatMap((template) => foreignTemplates(template, firstLine));
  for (const message of foreign) warn("foreign_template", message);
  if (foreign.length > 0 && found.variables.length > 0) {
    const where = kind === "chat" ? '"variables": false in CHAT.json' : "variables: false in its frontmatter";
    warn("foreign_template", `If the text has no variables at all, say so: ${where}.`);
  }
  return found;
}

/** Marks that look like a placeholder but are none: the name has other letters, a hyphen, a dot or a space. */
function misnamed(templates: readonly string[]): string[] {
  const marks = templates.flatMap((text) =>
    Array.from(text.matchAll(/\\?\{\{[^{}\n]{1,64}\}\}/g), ([mark]) => mark),
  );
  const isMisnamed = (mark: string) =>
    !mark.startsWith("\\") &&
    placeholders(mark).length === 0 &&
    /^\{\{\s*[\p{L}_][\p{L}\p{M}\p{N}_.\- ]*\}\}$/u.test(mark);
  return [...new Set(marks)].filter(isMisnamed).slice(0, maxProblems);
}

function missingEntry(kind: PromptKind, files: readonly CheckedFile[]): string {
  const entry = entryFiles[kind];
  const twin = files.find(({ path }) => path.toLowerCase() === entry.toLowerCase());
  const hint = twin === undefined ? "Add it." : `Rename ${twin.path}.`;
  return `A prompt of kind ${kind} needs a file ${entry} at its root. ${hint}`;
}

/** A parsed entry file. */
interface Content {
  /** The frontmatter, or the complete CHAT.json. */
  data: Record<string, Json>;
  /** The texts for models. */
  templates: string[];
  problems: string[];
  warnings: { code: Warning["code"]; message: string }[];
}

function readMarkdown(kind: PromptKind, text: string): Content {
  const { yaml, body } = splitFrontmatter(text);
  const content: Content = { data: {}, templates: [body], problems: [], warnings: [] };
  if (kind !== "skill" && body.trim() === "") {
    content.problems.push("there is no text in it that a model could read");
  }
  if (yaml === null && /^---[ \t]*\r?\n/.test(body)) {
    const message = "The file begins with --- but no second --- closes a frontmatter, so all of it is text.";
    content.warnings.push({ code: "unclosed_frontmatter", message });
  }
  if (encoder.encode(yaml ?? "").length > maxFrontmatterBytes) {
    content.problems.push("the frontmatter is over 16 KiB");
    return content;
  }
  readData(kind, readYaml(yaml ?? "", 2), content);
  const isFalse = content.data.variables === false;
  if (kind !== "skill" && content.problems.length === 0 && isFalse !== declaresNoVariables(yaml))
    content.problems.push("a text without variables says so in a line of its own, variables: false");
  return content;
}

function readChat(text: string): Content {
  const content: Content = { data: {}, templates: [], problems: [], warnings: [] };
  readData("chat", readJson(text), content);
  if (content.problems.length > 0) return content;
  for (const [index, item] of (content.data.messages as Json[]).entries()) {
    const schema = isObject(item) && item.type === "placeholder" ? MessagePlaceholder : Message;
    const parsed = schema.safeParse(item, { error: describeIssue });
    if (parsed.success) content.templates.push(...templatesOf(parsed.data));
    else content.problems.push(...issueLines(parsed.error, `messages.${index}`));
  }
  const { messages, tools = [], variables } = content.data;
  if (variables === false) return content;
  for (const mark of unfilledMarks({ messages: messages ?? [], tools })) {
    const message = `${mark}: variables are filled in in the texts of messages alone.`;
    content.warnings.push({ code: "not_a_variable", message });
    if (content.warnings.length === maxProblems) break;
  }
  return content;
}

/** Whether the texts of messages have this path. */
const isFilledIn = (path: readonly string[]): boolean => {
  const [root, , name, , inner] = path;
  const isText = path.length === 3 || (path.length === 5 && inner === "text");
  return root === "messages" && name === "content" && isText;
};

/**
 * The placeholders in a JSON value that are not filled in, as the beginning of a sentence. One after the other: a path is as long as
 * the keys of a stranger, and a file can have thousands.
 */
function* unfilledMarks(value: Json, path: readonly string[] = []): Generator<string> {
  if (typeof value === "string") {
    if (isFilledIn(path)) return;
    for (const name of placeholders(value))
      yield `{{${name}}} stays as it is at ${path.map((key) => key.slice(0, maxKeyShown)).join(".")}`;
  } else if (typeof value === "object" && value !== null)
    for (const [key, item] of Object.entries(value)) yield* unfilledMarks(item, [...path, key]);
}
/** More of a key is nothing that a person wrote. */
const maxKeyShown = 64;

const keepsLines = "If the --- belongs to the text, begin the file with an empty line";

/** Checks frontmatter or CHAT.json against the schema of the kind. */
function readData(kind: PromptKind, read: PlainData, content: Content): void {
  if ("problem" in read) {
    content.problems.push(
      kind === "chat" ? `it ${read.problem}` : `the frontmatter ${read.problem}. ${keepsLines}`,
    );
    return;
  }
  const data = read.value ?? {};
  if (!isObject(data)) {
    content.problems.push(
      kind === "chat"
        ? "it must be an object with messages"
        : `the frontmatter must hold keys and values. ${keepsLines}`,
    );
    return;
  }
  content.data = data;
  const schema = entrySchemas[kind];
  const parsed = schema.safeParse(data, { error: describeIssue });
  if (!parsed.success) content.problems.push(...issueLines(parsed.error));
  const unknown = [
    unknownEntryKeys(schema.shape, data, entryFiles[kind]),
    kind === "skill" ? undefined : unknownKeys(Config.shape, data.config, "config"),
  ];
  for (const message of unknown) {
    if (message !== undefined) content.warnings.push({ code: "unknown_key", message });
  }
}

function skillWarnings(text: string, { name, metadata }: Content["data"], slug: string): Content["warnings"] {
  const warnings: Content["warnings"] = [];
  if (typeof name === "string" && name !== slug) {
    const message = `The skill is named ${name}, not ${slug} like its address; archives use ${name} as its folder.`;
    warnings.push({ code: "skill_name", message });
  }
  if (isObject(metadata) && Object.values(metadata).some((value) => typeof value !== "string")) {
    const message = "Values of metadata are text. Put numbers, true and false in quotes.";
    warnings.push({ code: "skill_metadata", message });
  }
  if (text.replace(/\n$/, "").split("\n").length > maxSkillLines) {
    const message = `SKILL.md is over ${maxSkillLines} lines. Move detail to files that are read when needed.`;
    warnings.push({ code: "skill_length", message });
  }
  return warnings;
}

const isObject = (value: Json | undefined): value is Record<string, Json> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
