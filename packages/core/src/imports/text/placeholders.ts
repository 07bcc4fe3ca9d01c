import { listed } from "../../template/variable.ts";
import { markReaders, type Syntax } from "./syntaxes.ts";

export type { Syntax } from "./syntaxes.ts";

type Piece = { text: string } | { name: string };

/** Sentences, and names in one of them: nobody reads more. */
const most = 20;

interface Rewritten {
  text: string;
  /** Whether it has braces and no variables: the text from before may stay as it is, without them. */
  isLiteral: boolean;
  /** Of variables that have one in the text, by our names; the first one. */
  defaults: ReadonlyMap<string, string>;
  warnings: string[];
}

/**
 * Rewrites the placeholders of a foreign text to ours: `{{name}}`. Braces that are literal there are escaped, unless the text has
 * ours already (`isOurs`). What has no equivalent stays as text, and a warning names its line.
 */
export function rewritePlaceholders(text: string, syntax: Syntax, { isOurs = false } = {}): Rewritten {
  const reader = markReaders[syntax];
  const pieces: Piece[] = [];
  const warnings: string[] = [];
  const renamed = new Map<string, string>();
  const defaults = new Map<string, string>();
  const marks = new Set<string>();
  let end = 0;
  let line = 1;
  let counted = 0;
  const lineAt = (index: number) => {
    for (; counted < index; counted += 1) if (text.charCodeAt(counted) === 0x0a) line += 1;
    return line;
  };
  for (const found of text.matchAll(reader.token)) {
    const { piece, loss, before = "" } = reader.read(found);
    if (loss !== undefined && warnings.length < most)
      warnings.push(`Line ${lineAt(found.index)} of its text: ${found[0]} ${loss}.`);
    pieces.push({ text: text.slice(end, found.index) + before });
    if ("name" in piece) {
      const name = nameOf(piece.name);
      if (name !== piece.name) renamed.set(piece.name, name);
      pieces.push({ name });
      if (piece.default !== undefined && !defaults.has(name)) defaults.set(name, piece.default);
      marks.add(`{{${name}}}`);
    } else pieces.push(piece);
    end = found.index + found[0].length;
  }
  pieces.push({ text: text.slice(end) });
  const names = Array.from(renamed, ([foreign, name]) => `${foreign} to ${name}`);
  if (names.length > 0)
    warnings.push(
      `Variables are renamed, since names have letters, digits and _ alone: ${listed(names.slice(0, most))}.`,
    );
  if (reader.says !== undefined && marks.size > 0) warnings.push(`${reader.says}: ${listed([...marks])}.`);
  const isLiteral = !isOurs && text.includes("{{") && marks.size === 0;
  return { text: write(pieces, isOurs), isLiteral, defaults, warnings };
}

/** A name as our variables have it. */
function nameOf(foreign: string): string {
  const plain = foreign
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/^this\./, "")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .slice(0, 64);
  const name = plain.replace(/_$/, "") || "value";
  return /^\d/.test(name) ? `_${name.slice(0, 63)}` : name;
}

/** A text that our reader prints as the pieces say. Literal texts that meet are one. */
function write(pieces: readonly Piece[], isOurs: boolean): string {
  let written = "";
  let text = "";
  const flush = (isBeforeName: boolean) => {
    const escaped = isOurs ? text : text.replace(/\\?\{\{/g, "\\$&");
    // A backslash here would be taken for an escape, and has none itself.
    written += isBeforeName ? escaped.replace(/\\$/, "\\ ") : escaped;
    text = "";
  };
  for (const piece of pieces) {
    if ("text" in piece) text += piece.text;
    else {
      flush(true);
      written += `{{${piece.name}}}`;
    }
  }
  flush(false);
  return written;
}
