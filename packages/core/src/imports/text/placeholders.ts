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

/** Stands in until the real one is merged. */
export const rewritePlaceholders = (text: string, _syntax: Syntax): { text: string; warnings: string[] } => ({
  text,
  warnings: [],
});
