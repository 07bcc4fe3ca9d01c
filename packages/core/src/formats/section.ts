import { FormatError } from "./format.ts";

/** Why the section of a prompt cannot be found in a file for sure. */
export class SectionError extends Error {
  override readonly name = "SectionError";
}

const begin = (ref: string) => `<!-- promptreg:begin ${ref} -->`;
const end = (ref: string) => `<!-- promptreg:end ${ref} -->`;

/** Whatever looks like a marker, of any prompt. */
const marker = /<!--\s*promptreg:(?:begin|end)\b/i;

interface Section {
  /** Where the line of the first marker begins. */
  start: number;
  /** The end of the line of the last marker, with its line break. */
  end: number;
  /** Where the text between the markers begins and ends. */
  inside: [number, number];
}

/** @throws {SectionError} unless the markers are there once each and in order, or not at all. */
function find(text: string, ref: string): Section | undefined {
  const [first, ...moreFirst] = linesOf(text, begin(ref));
  const [last, ...moreLast] = linesOf(text, end(ref));
  if (first === undefined && last === undefined) return undefined;
  const isOne = moreFirst.length === 0 && moreLast.length === 0;
  if (first === undefined || last === undefined || !isOne || last.start < first.end) {
    throw new SectionError(
      `The marks of ${ref} are damaged. The file needs one line ${begin(ref)}, and after it one line ${end(ref)}, or neither.`,
    );
  }
  return { start: first.start, end: last.end, inside: [first.end, last.start] };
}

/** The lines that hold this text, and no other. */
function linesOf(text: string, line: string): { start: number; end: number }[] {
  const found = [];
  for (let start = text.indexOf(line); start !== -1; start = text.indexOf(line, start + 1)) {
    const lineBreak = text.indexOf("\n", start);
    const end = lineBreak === -1 ? text.length : lineBreak + 1;
    const isWhole = start === 0 || text[start - 1] === "\n";
    if (isWhole && text.slice(start, end).trimEnd() === line) found.push({ start, end });
  }
  return found;
}

/** The line break of a file, so that a section has the same. */
const lineBreakOf = (text: string): string => (/\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n");

/**
 * The text of the section of a prompt, as it was given to `putSection`; undefined if there is none.
 * @throws {SectionError} if its marks are damaged.
 */
export function readSection(text: string, ref: string): string | undefined {
  const section = find(text, ref);
  return section && text.slice(...section.inside).replaceAll("\r\n", "\n");
}

/**
 * Replaces the section of a prompt in a Markdown file that others share, or appends it. Everything else stays byte for byte.
 * `content` ends with a line break, as the files of formats do.
 * @throws {SectionError} if its marks are damaged. {@link FormatError} `format_unsafe` if the content holds marks itself, or an open comment.
 */
export function putSection(text: string, ref: string, content: string): string {
  if (marker.test(content)) {
    throw new FormatError(
      "format_unsafe",
      `The text of ${ref} holds marks of sections, so that its own section would have no certain end.`,
    );
  }
  if (content.lastIndexOf("<!--") > content.lastIndexOf("-->")) {
    throw new FormatError(
      "format_unsafe",
      `The text of ${ref} opens a comment with <!-- and does not close it. It would hide what comes after it. Close it with -->.`,
    );
  }
  const section = find(text, ref);
  const lineBreak = lineBreakOf(text.slice(section?.start));
  const lines = `${begin(ref)}\n${content}${end(ref)}\n`.replace(/\r?\n/g, lineBreak);
  if (section !== undefined) return text.slice(0, section.start) + lines + text.slice(section.end);
  return text === "" ? lines : `${text}${lineBreak}${lines}`;
}

/**
 * Removes the section of a prompt, and the empty line that `putSection` wrote before it. Without a section the text stays.
 * @throws {SectionError} if its marks are damaged.
 */
export function removeSection(text: string, ref: string): string {
  const section = find(text, ref);
  if (section === undefined) return text;
  const before = text.slice(0, section.start);
  const after = text.slice(section.end);
  // The line break that `putSection` wrote. It stays if it now parts two lines.
  const lineBreak = lineBreakOf(text.slice(section.start));
  const isOurs = before.endsWith(lineBreak) && (after === "" || /^\r?\n/.test(after));
  return (isOurs ? before.slice(0, -lineBreak.length) : before) + after;
}
