import { listed } from "../../template/variable.ts";

/** The template syntax of a foreign text. */
export type Syntax =
  | "brackets"
  | "claude"
  | "dollar"
  | "dotprompt"
  | "f-string"
  | "gemini"
  | "jinja"
  | "mustache"
  | "none"
  | "vscode";

/** A part of a text: what is printed as it stands, or the place of a value. */
type Piece = { text: string } | { name: string };
interface Mark {
  piece: Piece;
  /** What is lost, as the end of a sentence that begins with the mark. */
  loss?: string;
}
interface Reader {
  /** Its parts exclude each other, so that scans are linear. */
  token: RegExp;
  /** Null: it stays as it is. */
  read(found: RegExpExecArray): Mark | null;
}

const variable = (name: string, loss?: string): Mark => ({ piece: { name }, ...(loss && { loss }) });
const literal = (text: string, loss?: string): Mark => ({ piece: { text }, ...(loss && { loss }) });

const logic = "is logic of a template. It stays as text";

/** Handlebars, Mustache, Jinja and what is made of them. Plain substitutions become variables, and all else stays. */
const braces: Reader = {
  token: /\\?\{\{\{?[^{}\n]{0,200}\}?\}\}|\{%[^{}\n]{0,200}%\}|\{#[^{}\n]{0,200}#\}/g,
  read([mark]) {
    if (mark.startsWith("\\")) return literal(mark.slice(1));
    if (!mark.startsWith("{{")) return literal(mark, logic);
    const inside = mark.replace(/^\{+[&~-]?\s*|\s*[~-]?\}+$/g, "");
    const [, path = "", rest = ""] =
      /^@?((?:this\.)?[\p{L}_][\p{L}\p{N}_]*(?:[.-][\p{L}\p{N}_]+)*)(.*)$/su.exec(inside) ?? [];
    if (path === "" || /^(else|this|end\w*)$/.test(path)) return literal(mark, logic);
    if (rest.trim() === "") return variable(path);
    return /^\s*\|/.test(rest) ? variable(path, "loses what follows the |") : literal(mark, logic);
  },
};

const editor =
  "selection|selectedText|file|fileBasename|fileBasenameNoExtension|fileDirname|workspaceFolder|workspaceFolderBasename|relativeFile";

const readers: Record<Syntax, Reader> = {
  none: { token: /(?!)/g, read: () => null },
  mustache: braces,
  jinja: braces,
  dotprompt: braces,
  gemini: { token: /\{\{args\}\}/g, read: () => variable("args") },
  brackets: { token: /\[\[([\p{L}_][\p{L}\p{N}_ -]{0,63})\]\]/gu, read: ([, name = ""]) => variable(name) },
  dollar: {
    token: /\$\{([\p{L}_][\p{L}\p{N}_ .-]{0,63})\}/gu,
    read: ([, name = ""]) => variable(name),
  },
  vscode: {
    token: new RegExp(`\\$\\{(?:input:([\\w .-]{1,64})(?::[^{}\\n]{0,1000})?|(${editor}))\\}`, "g"),
    read: ([, input, own = ""]) =>
      input === undefined ? variable(own, "was filled in by the editor") : variable(input),
  },
  claude: {
    token: /\$(?:ARGUMENTS(?:\[(\d{1,2})\])?|([1-9]))(?![\w[])/g,
    read: ([, index, number]) => {
      if (index !== undefined) return variable(`arg_${Number(index) + 1}`);
      return variable(number === undefined ? "args" : `arg_${number}`);
    },
  },
  "f-string": {
    token:
      /\{\{|\}\}|\{([\p{L}_][\p{L}\p{N}_]*)((?:[.[][^{}!:\n]{0,100})?(?:![rsa])?(?::[^{}\n]{0,100})?)\}/gu,
    read([mark, name, format]) {
      if (name === undefined) return literal(mark.slice(1));
      return variable(name, format ? "loses its format" : undefined);
    },
  },
};

/** Sentences, and names in one of them: nobody reads more. */
const most = 20;

/**
 * Rewrites the placeholders of a foreign text to ours: `{{name}}`. What is literal there, and would be a placeholder here, is
 * escaped. What has no equivalent stays as text, and a warning names its line.
 */
export function rewritePlaceholders(text: string, syntax: Syntax): { text: string; warnings: string[] } {
  const { token, read } = readers[syntax];
  const pieces: Piece[] = [];
  const warnings: string[] = [];
  const renamed = new Map<string, string>();
  let end = 0;
  let line = 1;
  let counted = 0;
  const lineAt = (index: number) => {
    for (; counted < index; counted += 1) if (text.charCodeAt(counted) === 0x0a) line += 1;
    return line;
  };
  for (const found of text.matchAll(token)) {
    const mark = read(found as RegExpExecArray);
    if (mark === null) continue;
    const { piece, loss } = mark;
    if (loss !== undefined && warnings.length < most)
      warnings.push(`Line ${lineAt(found.index)}: ${found[0]} ${loss}.`);
    pieces.push({ text: text.slice(end, found.index) });
    if ("name" in piece) {
      const name = nameOf(piece.name);
      if (name !== piece.name) renamed.set(piece.name, name);
      pieces.push({ name });
    } else pieces.push(piece);
    end = found.index + found[0].length;
  }
  pieces.push({ text: text.slice(end) });
  const names = Array.from(renamed, ([foreign, name]) => `${foreign} to ${name}`);
  if (names.length > 0)
    warnings.push(
      `Variables are renamed, since names have letters, digits and _ alone: ${listed(names.slice(0, most))}.`,
    );
  return { text: write(pieces), warnings };
}

/** A name as our variables have it. */
function nameOf(foreign: string): string {
  const plain = foreign
    .normalize("NFKD")
    .replace(/^this\./, "")
    .replace(/[^A-Za-z0-9_]+/g, "_")
    .slice(0, 64);
  const name = plain.replace(/_+$/, "") || "value";
  return /^\d/.test(name) ? `_${name.slice(0, 63)}` : name;
}

/** A text that our reader prints as the pieces say. Literal texts that meet are one. */
function write(pieces: readonly Piece[]): string {
  let written = "";
  let text = "";
  const flush = (isBeforeName: boolean) => {
    const escaped = text.replace(/\\?\{\{(?=[ \t]*[A-Za-z_][A-Za-z0-9_]{0,63}[ \t]*\}\})|\\\{\{/g, "\\$&");
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
