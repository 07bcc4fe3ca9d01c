import type { Segment } from "../groups/search/schemas.ts";
import { splitFrontmatter } from "../template/frontmatter.ts";
import { calm, excerpt, highlight, type Read, read } from "./highlight.ts";

/** How much of an entry file is looked through for an excerpt. */
export const entryBytes = 8_192;

/** The texts of something that was found, by field. The beginning of an entry file is bytes. */
export type FoundTexts = Record<string, string | Uint8Array | null>;

/** What may match in the texts of something that was found. The beginning of an entry file may end within a character. */
export const readTexts = (texts: FoundTexts, stems: ReadonlySet<string>): Record<string, Read> =>
  Object.fromEntries(
    Object.entries(texts).flatMap(([field, text]) => {
      if (text === null) return [];
      if (typeof text === "string") return [[field, read(text, stems)]];
      return [[field, readEntry(new TextDecoder().decode(text).replace(/\ufffd$/, ""), stems)]];
    }),
  );

/** Frontmatter matches too, but people look for an excerpt of the text below it. */
function readEntry(file: string, stems: ReadonlySet<string>): Read {
  const { body } = splitFrontmatter(file);
  const head = calm(file.slice(0, file.length - body.length));
  const lead = head === "" ? "" : `${head} `;
  return read(lead + calm(body), stems, lead.length);
}

/** What of the texts matches, if these words do: all of a short text, an excerpt of an entry file. */
export const highlightsOf = (
  reads: Record<string, Read>,
  words: ReadonlySet<string>,
): Record<string, Segment[] | undefined> =>
  Object.fromEntries(
    Object.entries(reads).map(([field, one]) => [
      field,
      (field === "entry" ? excerpt : highlight)(one, words),
    ]),
  );
