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

/** What a mark of a foreign text is: the place of a value, or text. */
export interface Mark {
  piece: { name: string; default?: string } | { text: string };
  /** Text that was read with it. */
  before?: string;
  /** What is lost, as the end of a sentence that begins with the mark. */
  loss?: string;
}

/** Finds the marks of a syntax. */
export interface MarkReader {
  /** Its alternatives are bounded or exclude each other, so that scans are linear. */
  token: RegExp;
  read(found: readonly (string | undefined)[]): Mark;
  /** What is said of its variables, before their names: the mark could have been meant as text. */
  says?: string;
}

const variable = (name = "", loss?: string): Mark => ({ piece: { name }, ...(loss && { loss }) });
const literal = (text = "", loss?: string): Mark => ({ piece: { text }, ...(loss && { loss }) });

const logic = (mark = "") => literal(mark, "is logic of a template. It stays as text");
const lossOf = (rest: string) => (rest === "" ? undefined : "loses what follows the name");

/** A name, with the names of what is in it: `user.first-name`. */
const path = String.raw`(?:this\.)?[\p{L}_][\p{L}\p{N}_]*(?:[.-][\p{L}\p{N}_]+)*`;
/** Words that are logic, though they look like names. */
const words = /^(?:else|this|end\w*|break|continue|super)$/;

/** What stands between two braces: a name, or logic. A filter behind a name is lost. */
function insideBraces(mark: string, inside: string): Mark {
  const [, name, rest = ""] = new RegExp(`^(${path})\\s*(\\|.*)?$`, "su").exec(inside) ?? [];
  if (name === undefined || words.test(name)) return logic(mark);
  return variable(name, lossOf(rest));
}

const inner = String.raw`[^{}\n]{0,500}`;

const mustache: MarkReader = {
  // Between other delimiters stand braces that are text.
  token: new RegExp(
    String.raw`\{\{=<% %>=\}\}(\{{1,100})<%=\{\{ \}\}=%>|\{\{\{(${inner})\}\}\}|\{\{(${inner})\}\}`,
    "gu",
  ),
  read([mark = "", braces, triple, double = ""]) {
    if (braces !== undefined) return literal(braces);
    return insideBraces(mark, (triple ?? double.replace(/^&/, "")).trim());
  },
};

const jinja: MarkReader = {
  token: new RegExp(
    String.raw`\{\{-?[ \t]*(?:"([^"\n\\]{0,100})"|'([^'\n\\]{0,100})')[ \t]*-?\}\}|\{\{(${inner})\}\}|\{%${inner}%\}|\{#${inner}#\}`,
    "gu",
  ),
  read([mark = "", quoted, single, inside]) {
    const text = quoted ?? single;
    if (text !== undefined) return literal(text);
    // A comment is for people.
    if (mark.startsWith("{#")) return literal();
    return inside === undefined ? logic(mark) : insideBraces(mark, inside.replace(/^-|-$/g, "").trim());
  },
};

/** Handlebars, whose backslashes escape braces: a single one prints them, and of two one is printed. */
const dotprompt: MarkReader = {
  token: new RegExp(
    String.raw`(\\{1,100})?(\{\{lookup "\{" 0\}\}|\{\{this\.\[(\w{1,64})\]\}\}|\{\{\{(${inner})\}\}\}|\{\{(${inner})\}\}|\{\{)`,
    "gu",
  ),
  read([mark = "", backslashes = "", braces = "", own, triple, double]) {
    if (backslashes.length === 1) return literal(mark.slice(1));
    const before = backslashes.slice(1);
    if (braces === '{{lookup "{" 0}}') return literal(`${before}{`);
    // A comment is for people.
    if (braces.startsWith("{{!")) return literal(before);
    if (braces === "{{") return literal(mark);
    const found =
      own === undefined
        ? insideBraces(braces, (triple ?? double ?? "").replace(/^[&~]|~$/g, "").trim())
        : variable(own);
    return { ...found, ...(before && { before }) };
  },
};

/** Code of Markdown: a fence, or code in a paragraph. */
const code =
  /^[ \t>]*(`{3,}(?!`)(?![^\n]*`)|~{3,}(?!~))[^]*?(?:^[ \t>]*\1|(?![^]))|(?<!`)(`+)(?!`)(?:[^\n]|\n(?![ \t]{0,100}\n)){1,1000}?(?<!`)\2(?!`)/
    .source;

/** Links, images and what is escaped stay. Several words are the name of a page. */
const brackets: MarkReader = {
  token: new RegExp(String.raw`${code}|(?<![\\!])\[\[([A-Za-z_]\w{0,63})\]\](?!\()`, "gm"),
  read: ([mark, , , name]) => (name === undefined ? literal(mark) : variable(name)),
  says: "What stood in [[ ]] is a variable now",
};

/**
 * What people write by hand, `${first name:Ada}` or `{{name}}`. No tool fills it in, so what looks like it in code is code. An expression
 * of a program or a shell has other characters.
 */
const dollar: MarkReader = {
  token: new RegExp(
    String.raw`${code}|\$\{([\p{L}_][\p{L}\p{N}_ -]{0,63})(?::(?![-=?+])([^{}\n]{0,1000}))?\}|\{\{[ \t]{0,9}([A-Za-z_]\w{0,63})[ \t]{0,9}\}\}|\\\{\{`,
    "gmu",
  ),
  read([mark, , , words, value, name = words?.trim()]) {
    if (name === undefined) return literal(mark === "\\{{" ? "{{" : mark);
    return value === undefined ? variable(name) : { piece: { name, default: value.trim() } };
  },
};

const editor =
  "selection|selectedText|file|fileBasename|fileBasenameNoExtension|fileDirname|workspaceFolder|workspaceFolderBasename|relativeFile";

export const markReaders: Record<Syntax, MarkReader> = {
  mustache,
  jinja,
  dotprompt,
  none: { token: /(?!)/g, read: () => literal() },
  gemini: { token: /\{\{args\}\}/g, read: () => variable("args") },
  brackets,
  dollar,
  vscode: {
    token: new RegExp(`\\$\\{(?:input:([\\w .-]{1,64})(?::[^{}\\n]{0,1000})?|(${editor}))\\}`, "g"),
    read: ([, input, own]) =>
      input === undefined ? variable(own, "was filled in by the editor") : variable(input),
  },
  claude: {
    token: /\$(?:ARGUMENTS(?:\[(\d{1,2})\])?|([1-9]))(?![\w[]|[.,]\d)/g,
    read: ([, index, number]) => {
      // Its releases count `$1` from 0 or from 1, so these two are not the same: each goes out as it came in.
      if (index !== undefined) return variable(`arguments_${Number(index)}`);
      return variable(number === undefined ? "args" : `arg_${number}`);
    },
  },
  "f-string": {
    token:
      /\{\{|\}\}|\{([\p{L}_][\p{L}\p{N}_]*)((?:[.[][^{}!:\n]{0,100})?(?:![rsa])?(?::[^{}\n]{0,100})?)\}/gu,
    read: ([mark = "", name, rest = ""]) =>
      name === undefined ? literal(mark.slice(1)) : variable(name, lossOf(rest)),
  },
};
