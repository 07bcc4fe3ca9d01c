import { writeTemplate } from "../../formats/messages.ts";

/** The template syntax of a foreign text. */
export type Syntax =
  | "claude"
  | "vscode"
  | "brackets"
  | "f-string"
  | "mustache"
  | "dotprompt"
  | "jinja"
  | "none";

type Piece = { name: string } | { literal: string };
const variable = (name = ""): Piece | undefined =>
  /^[A-Za-z_][\w -]*$/.test(name) ? { name: name.replace(/[ -]/g, "_") } : undefined;

const syntaxes: Record<string, [RegExp, (found: RegExpExecArray) => Piece | undefined]> = {
  none: [/(?!)/g, () => undefined],
  "f-string": [
    /\{\{|\}\}|\{([^{}\n]*)\}/g,
    ([all, name]) => (name === undefined ? { literal: all[0]! } : variable(name)),
  ],
  vscode: [/\$\{(?:input:)?([^{}:\n]*)(?::[^{}\n]*)?\}/g, ([, name]) => variable(name)],
  mustache: [
    /\{\{=<% %>=\}\}(\{+)<%=\{\{ \}\}=%>|\{\{&?[ \t]*([A-Za-z_]\w*)[ \t]*\}\}|\{\{\{[ \t]*([A-Za-z_]\w*)[ \t]*\}\}\}/g,
    ([, literal, name, raw]) => (literal === undefined ? variable(name ?? raw) : { literal }),
  ],
  jinja: [
    /\{\{[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([A-Za-z_]\w*))[ \t]*\}\}/g,
    ([, double, single, name]) => (name === undefined ? { literal: double ?? single ?? "" } : variable(name)),
  ],
  dotprompt: [
    /\\\\(?=\{\{)|\\\{\{|\{\{lookup "\{" 0\}\}|\{\{!\}\}|\{\{[ \t]*(?:this\.\[(\w+)\]|([A-Za-z_]\w*))[ \t]*\}\}/g,
    ([all, escaped, name]) =>
      all === "\\\\"
        ? { literal: "\\" }
        : all === "\\{{"
          ? { literal: "{{" }
          : all.startsWith("{{l")
            ? { literal: "{" }
            : all === "{{!}}"
              ? { literal: "" }
              : variable(escaped ?? name),
  ],
};

export function rewritePlaceholders(text: string, syntax: Syntax): { text: string; warnings: string[] } {
  const [pattern, read] = syntaxes[syntax] ?? syntaxes["none"]!;
  const pieces: (string | { name: string; mark: string })[] = [];
  let end = 0;
  for (const found of text.matchAll(pattern)) {
    const piece = read(found);
    pieces.push(text.slice(end, found.index));
    end = found.index + found[0].length;
    if (piece === undefined) pieces.push(found[0]);
    else pieces.push("name" in piece ? { name: piece.name, mark: "" } : piece.literal);
  }
  pieces.push(text.slice(end));
  return {
    text: writeTemplate(
      pieces,
      (name) => `{{${name}}}`,
      (literal) => literal.replaceAll("{{", "\\{{"),
    ),
    warnings: [],
  };
}
