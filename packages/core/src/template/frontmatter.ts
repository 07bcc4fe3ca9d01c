/** Removes the byte order mark that some editors write. It is not part of the text. */
export const withoutByteOrderMark = (text: string): string => text.replace(/^\uFEFF/, "");

const opening = /^---[ \t]*\r?\n/;
const closing = /(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/;
const blankLines = /^(?:[ \t]*\r?\n)+/;

/**
 * Splits a Markdown file at its `---` lines. `yaml` is null without a closed block at the very start. Blank lines between
 * the block and the body belong to neither.
 */
export function splitFrontmatter(file: string): { yaml: string | null; body: string } {
  const markdown = withoutByteOrderMark(file);
  const start = opening.exec(markdown)?.[0].length;
  if (start === undefined) return { yaml: null, body: markdown };
  const rest = markdown.slice(start);
  const end = closing.exec(rest);
  if (end === null) return { yaml: null, body: markdown };
  return {
    yaml: rest.slice(0, end.index),
    body: rest.slice(end.index + end[0].length).replace(blankLines, ""),
  };
}

/**
 * Whether frontmatter says that the text has no variables. Applications have no reader of YAML, so it is a line of its own,
 * and every version holds to that.
 */
export const declaresNoVariables = (yaml: string | null): boolean =>
  yaml !== null && /^variables:[ \t]+false[ \t]*(?:[ \t]#.*)?\r?$/m.test(yaml);

/** The text of a Markdown entry file for a model. */
export const withoutFrontmatter = (markdown: string): string => splitFrontmatter(markdown).body;
