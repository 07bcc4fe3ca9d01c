import type { DetectedItem, DraftFile } from "@promptreg/core";
import {
  type CheckedFile,
  checkFiles,
  comparableText,
  entryFiles,
  type FileInput,
  fingerprint,
} from "@promptreg/core/content";
import {
  detect,
  type DetectedPrompt,
  NearIndex,
  pastedText,
  plainLine,
  type RefusedPrompt,
  type Source,
} from "@promptreg/core/imports";
import { findSecrets, searchedText } from "@promptreg/core/secrets";

/** An item as the detection makes it, with the files of its draft as JSON: they pass through the server unread. */
export interface FoundItem extends Omit<DetectedItem, "id" | "duplicate" | "state" | "result"> {
  content: string;
  /** By what exact duplicates are found, in hex; empty if it has no text. */
  textHash: string;
  /** Items before it that say nearly the same. */
  near: { position: number; similarity: number }[];
}

/** More of one prompt is no version. It is not read at all. */
const maxPromptBytes = 10 * 1024 * 1024;
/** The drafts of an import, as JSON. */
const maxContent = 200 * 1024 * 1024;
export const maxWarnings = 100;

interface Options {
  isPaste: boolean;
  isNamed: boolean;
  near: NearIndex;
  most: number;
  rest: () => Promise<void>;
}

/** Finds the first items of a source, and adds their texts to `near` by their positions. Returns what was left out, as sentences. */
export async function* findItems(
  source: Source,
  { isPaste, isNamed, near, most, rest }: Options,
): AsyncGenerator<FoundItem, string[]> {
  const leftOut: string[] = [];
  let [count, size] = [0, 0];
  for await (const one of detect(source, { isPaste, kindOf: () => (isNamed ? "text" : null) })) {
    await rest();
    if ("refused" in one) {
      // The names of its files are ours.
      leftOut.push(isPaste ? one.refused.reason : sentenceOf(one.refused));
      continue;
    }
    const { prompt } = one;
    if (count === most) {
      leftOut.unshift(`There are more prompts than ${count}. Import the others by themselves.`);
      break;
    }
    const item = await itemOf(source, prompt, { near, position: count + 1, room: maxContent - size });
    if (typeof item === "string") {
      leftOut.push(sentenceOf({ ...prompt, reason: item }));
    } else {
      yield item.detector === pastedText.name ? { ...item, sourcePath: "text" } : item;
      count += 1;
      size += item.content.length;
    }
  }
  if (isPaste && count + leftOut.length === 0)
    leftOut.push("The JSON is of no format that is known. Send it with a `kind` to take it as it is.");
  return leftOut;
}

const sentenceOf = ({ sourcePath, part, format, reason }: RefusedPrompt): string =>
  `${format} ${sourcePath}${part === null ? "" : ` (${part})`}: ${reason}`;

/** So many sentences, none of them long, in characters that a terminal and the database take. */
export function short(texts: readonly string[], most: number): string[] {
  const shown = texts.slice(0, most).map((text) => plainLine(text).slice(0, 500).toWellFormed());
  return texts.length > most ? [...shown, `${texts.length - most} more.`] : shown;
}

const noLicense = "No license is known: all rights are reserved until the prompt names one.";

/** Makes an item of a prompt, or says why it cannot become a draft. */
async function itemOf(
  source: Source,
  prompt: DetectedPrompt,
  { near, position, room }: { near: NearIndex; position: number; room: number },
): Promise<FoundItem | string> {
  const inputs = await readInputs(source, prompt);
  if (inputs === null) return "It has over 10 MiB.";
  const { files, problems } = await checkFiles(inputs);
  const [problem] = problems;
  if (problem) return problem.message;
  const drafts = files.map(
    ({ path, mode, encoding, bytes }): DraftFile => ({
      path,
      mode,
      encoding,
      content: Buffer.from(bytes).toString(encoding),
    }),
  );
  const content = JSON.stringify(drafts);
  if (content.length > room) return "The import has over 200 MiB without it.";
  const entry = drafts.find(({ path }) => path === entryFiles[prompt.kind]);
  const text = comparableText(prompt.kind, entry?.content ?? "");
  const { detector, kind, slug, title, summary, tags, license, variables, confidence } = prompt;
  const sourcePath = plainLine(prompt.sourcePath);
  const secrets = await describeSecrets(files, { title, summary, path: sourcePath });
  return {
    detector,
    kind,
    slug,
    tags,
    license,
    variables,
    confidence,
    title,
    summary,
    sourcePath,
    part: prompt.part && plainLine(prompt.part).slice(0, 200).toWellFormed(),
    files: files.map(({ path, size }) => ({ path, size })),
    preview: entry?.content.slice(0, 2000).toWellFormed() ?? "",
    selected: secrets.length === 0,
    warnings: short([...secrets, ...(license === null ? [noLicense] : []), ...prompt.warnings], 20),
    content,
    textHash: (await fingerprint(text)) ?? "",
    near: near
      .add(String(position), text)
      .map(({ id, similarity }) => ({ position: Number(id), similarity })),
  };
}

/** What looks like a secret, as sentences: each by its line and kind, never itself. */
async function describeSecrets(
  files: readonly CheckedFile[],
  fields: Record<string, string | null>,
): Promise<string[]> {
  const sentences: string[] = [];
  for (const [name, text] of Object.entries(fields))
    for (const { kind } of await findSecrets(text ?? ""))
      sentences.push(`The ${name} looks like a secret (${kind}).`);
  for (const file of files)
    for (const { line, kind } of await findSecrets(searchedText(file)))
      sentences.push(`${file.path}, line ${line} looks like a secret (${kind}).`);
  return sentences;
}

/** The files of a prompt, read from the source; null if they are too many bytes. */
async function readInputs(source: Source, { files, taken }: DetectedPrompt): Promise<FileInput[] | null> {
  let left = maxPromptBytes;
  for (const { from } of taken) left -= from.size;
  if (left < 0) return null;
  const inputs = files.map(({ path, mode, content }) => toInput(path, mode, content));
  for (const { path, from } of taken) inputs.push(toInput(path, from.mode, await source.read(from.path)));
  return inputs;
}

const toInput = (path: string, mode: FileInput["mode"] & {}, content: string | Uint8Array): FileInput =>
  typeof content === "string"
    ? { path, mode, content }
    : { path, mode, content: Buffer.from(content).toString("base64"), encoding: "base64" };
