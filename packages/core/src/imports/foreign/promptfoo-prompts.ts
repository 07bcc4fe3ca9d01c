import { readYamlFile } from "../../content/plain-data.ts";
import { type Found, ImportError, type Surroundings } from "../detector.ts";
import { draftOf, type ForeignPrompt } from "./draft.ts";
import { isMessages, readMessages } from "./messages.ts";
import { type Part, partsOf } from "./promptfoo-files.ts";
import { pathsOf } from "./relative-files.ts";
import { settingsIn } from "./settings.ts";
import { firstWords, isObject, parseJson, textIn, type Values } from "./values.ts";

/** What the prompts of a configuration of promptfoo share. */
export interface Project extends Pick<ForeignPrompt, "variables"> {
  /** Of the configuration, with a slash at its end: files are named from there. */
  folder: string;
  around: Surroundings;
  settings: Values;
  /** The files that are read, each once: a configuration can name them again and again. */
  taken: Set<string>;
}

/** A prompt of the list: where it stands there, what it says, its label, and its own settings. */
interface Entry {
  at: string;
  raw: unknown;
  label: string | null;
  config?: unknown;
}

/** Reads the prompts that a configuration lists. What cannot come is refused one by one. */
export async function* readPrompts(prompts: unknown, project: Project): AsyncGenerator<Found> {
  for (const entry of entriesOf(prompts)) {
    try {
      yield* readEntry(entry, project);
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      yield new ImportError(error.message, entry.at);
    }
  }
}

/** Where the only prompt stands, or the name of a file with the list. */
const whole = "prompts";

/** One prompt, a list, or, as in old files, a map from files to labels. */
function entriesOf(prompts: unknown): Entry[] {
  if (Array.isArray(prompts)) {
    return prompts.map((one: unknown, index) => {
      const at = `prompts[${index}]`;
      if (!isObject(one)) return { at, raw: one, label: null };
      return { at, raw: one["raw"] ?? one["id"], label: textIn(one["label"]), config: one["config"] };
    });
  }
  if (!isObject(prompts)) return [{ at: whole, raw: prompts, label: null }];
  return Object.entries(prompts).map(([raw, label]) => ({ at: `prompts.${raw}`, raw, label: textIn(label) }));
}

async function* readEntry(entry: Entry, project: Project): AsyncGenerator<Found> {
  const { raw, label, at } = entry;
  if (typeof raw !== "string" || raw.trim() === "") throw new ImportError("It says no prompt.");
  if (!namesFile(raw)) {
    yield draft({ text: raw, name: label ?? firstWords(firstTextIn(raw)), part: at }, entry, project);
    return;
  }
  for (const path of pathsOf(raw.replace(/^file:\/\//, ""), project.folder, project.around)) {
    if (!project.taken.has(path)) yield* readFile(path, entry, project);
  }
}

async function* readFile(path: string, entry: Entry, project: Project): AsyncGenerator<Found> {
  project.taken.add(path);
  const text = await project.around.read(path);
  if (text === null) throw new ImportError(`${path} is not there, or is no text.`);
  const listed = entry.at === whole && /\.ya?ml$/i.test(path) ? listIn(text) : undefined;
  if (listed === undefined)
    for (const part of partsOf(path, text, entry.label)) yield { ...draft(part, entry, project), path };
  else yield* readPrompts(listed, project);
}

/** The list of prompts in a file that has one in place of messages. */
function listIn(text: string): unknown[] | undefined {
  const data = readYamlFile(text);
  const list: unknown = "value" in data ? data.value : undefined;
  return Array.isArray(list) && !isMessages(list) ? list : undefined;
}

const programs = /\.([cm]?[jt]s|py|rb|sh|bash|exe|bat|cmd|ps1|pl|go)(:[\w.]+)?$/i;
const texts = /\.(txt|md|j2|jsonl?|ya?ml|csv)$/i;

/** @throws {ImportError} if it names what promptfoo runs, or asks of another service. */
function namesFile(raw: string): boolean {
  if (/\s/.test(raw.trim()) && !raw.startsWith("file://")) return false;
  if (raw.startsWith("exec:") || programs.test(raw))
    throw new ImportError(`${raw} is a program that makes the prompt.`);
  if (/^(?!file:)\w+:\/\//.test(raw)) throw new ImportError(`${raw} is not among the files.`);
  return raw.startsWith("file://") || texts.test(raw) || raw.includes("*");
}

function draft({ text, name, part }: Part, { config }: Entry, { variables, settings }: Project) {
  const messages = messagesIn(text);
  return draftOf({
    ...(part === null ? {} : { part }),
    name,
    items: messages === undefined ? [{ role: "user", content: text.trim() }] : readMessages(messages),
    syntax: "jinja",
    variables: variables ?? [],
    settings: { ...settings, ...(isObject(config) ? settingsIn(config) : {}) },
  });
}

/** The text of the first message, where there are messages. */
function firstTextIn(raw: string): string {
  const [first] = messagesIn(raw) ?? [];
  return textIn(first?.["content"]) ?? raw;
}

/** promptfoo takes JSON or YAML with a list of messages for a chat. */
function messagesIn(text: string): Values[] | undefined {
  const data = /^\s*- role:/.test(text) ? readYamlFile(text) : { value: parseJson(text, '"role"') };
  const value: unknown = "value" in data ? data.value : undefined;
  const list = isObject(value) ? value["messages"] : value;
  return isMessages(list) ? list : undefined;
}
