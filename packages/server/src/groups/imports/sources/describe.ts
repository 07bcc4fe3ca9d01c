import { entryFiles, type FileInput, type ImportSource, type NewImportSource } from "@promptreg/core";
import { pathProblems } from "@promptreg/core/content";
import { apiError, type ErrorDetail } from "@promptreg/core/errors";
import { splitFrontmatter } from "@promptreg/core/imports";
import { describePlace, type PlacePolicy } from "./place.ts";

/** What is imported, as it is shown, and what was sent of it. */
export interface Described {
  source: ImportSource;
  /** JSON of the files that came with the request. */
  sent?: Uint8Array;
}

/**
 * Describes the source of a new import.
 * @throws {ApiError} `invalid_file`, or `url_refused`.
 */
export async function describeSource(source: NewImportSource, policy: PlacePolicy): Promise<Described> {
  switch (source.type) {
    case "paste":
      return { source: { type: "paste", label: labelOf(source.text) }, sent: printed(pasted(source)) };
    case "files":
      checkFiles(source.files);
      return { source: { type: "files", label: labelOfFiles(source.files) }, sent: printed(source.files) };
    case "url":
    case "repository":
    default:
      return { source: describePlace(source, policy) };
  }
}

const printed = (files: readonly FileInput[]) => Buffer.from(JSON.stringify(files));

/** The first words of a text. */
const labelOf = (text: string): string =>
  text
    .slice(0, 400)
    .replace(/[^\p{L}\p{N}\p{P}\p{S}]+/gu, " ")
    .trim()
    .slice(0, 60)
    .toWellFormed() || "A text";

const labelOfFiles = ([first, ...others]: readonly FileInput[]): string =>
  others.length === 0 ? (first?.path ?? "") : `${first?.path} and ${others.length} more`;

/** A text as files: JSON by itself, since many formats are JSON, and any other as a prompt folder of ours. */
function pasted({ text, kind }: Extract<NewImportSource, { type: "paste" }>): FileInput[] {
  if (kind === undefined && isJson(text)) return [{ path: "text.json", content: text }];
  const { body } = splitFrontmatter(text);
  const heading = /^# +(\S[^\n]*)/m.exec(body.slice(0, 1_000))?.[1];
  const title = labelOf(heading ?? (body.trim() === "" ? text : body));
  const prompt =
    title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "") || "text";
  const manifest = { prompt, kind: kind ?? "text", title };
  return [
    { path: "promptreg.json", content: JSON.stringify(manifest) },
    { path: entryFiles[manifest.kind], content: text },
  ];
}

function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** @throws {ApiError} `invalid_file`. Sizes are checked where a prompt takes a file. */
function checkFiles(files: readonly FileInput[]): void {
  const wrong = [...pathProblems(files.map(({ path }) => path))].map(([index, problem]) => ({
    path: `/source/files/${index}/path`,
    message: `The path ${JSON.stringify(files[index]?.path.slice(0, 100))} ${problem}.`,
  }));
  const unreadable = [...files.entries()].flatMap(([index, { content, encoding }]) =>
    encoding === "base64" && !isBase64(content)
      ? [{ path: `/source/files/${index}/content`, message: "The content is not base64." }]
      : [],
  );
  const details: ErrorDetail[] = [...wrong, ...unreadable]
    .slice(0, 20)
    .map((problem) => ({ ...problem, code: "invalid_file" }));
  const [first] = details;
  if (first) throw apiError("invalid_file", { message: first.message, details });
}

const isBase64 = (text: string) =>
  text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(text.replace(/={1,2}$/, ""));
