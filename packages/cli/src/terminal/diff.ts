import type { Style } from "./style.ts";
import { cell, countOf } from "./text.ts";
import { printWords } from "./word-diff.ts";
import type { Diff, FileDiff } from "@promptreg/client";

/** What changed, whichever the two sides are. */
type Change = Omit<Diff, "from" | "to">;

/**
 * Prints what changed, line by line up to a bound, and what that means to those who fill the prompt in. `more` is the command that
 * shows all of it. Colours mark the words that differ. Where there are none, brackets do so in lines from `wordsFrom` characters
 * on, which are no patch any more.
 */
export function printDiff(
  diff: Change,
  brush: Style,
  {
    maxLines = Number.POSITIVE_INFINITY,
    more: whole = "promptreg diff",
    wordsFrom = Number.POSITIVE_INFINITY,
  } = {},
): string {
  const { dim } = brush.colors;
  if (diff.files.length === 0) return dim("The files are equal.");
  const patches = diff.files.flatMap((file) => patchOf(file, brush, wordsFrom));
  const more = patches.length - maxLines;
  return [
    ...patches.slice(0, maxLines),
    ...(more > 0 ? [dim(`… and ${countOf(more, "more line")}: see ${whole}`)] : []),
    ...meaningOf(diff, brush),
  ].join("\n");
}

/** `+3 −1`, as far as lines were counted. */
export const countsOf = ({ stats }: Pick<Diff, "stats">): string => `+${stats.additions} −${stats.deletions}`;

function meaningOf({ variables, config }: Change, { colors: { bold, red } }: Style): string[] {
  const { added, removed, changed, breaking } = variables;
  const changes = { added, removed, changed, "settings changed": config.changed };
  const lines = Object.entries(changes).flatMap(([what, names]) =>
    names.length === 0
      ? []
      : [`${what === "settings changed" ? what : `variables ${what}`}: ${cell(names.join(", "))}`],
  );
  if (breaking) lines.push(red("Breaking: values that were valid before may be refused now."));
  return lines.map((line) => bold(line));
}

function patchOf(
  { path, oldPath, status, binary, modeChanged, truncated, hunks }: FileDiff,
  brush: Style,
  wordsFrom: number,
): string[] {
  const { bold, cyan, green, red, dim, inverse } = brush.colors;
  const looks = {
    add: (text: string) => green(`+${text}`),
    del: (text: string) => red(`-${text}`),
    context: (text: string) => ` ${text}`,
  };
  const bracketed = (text: string, type: string) => (type === "del" ? `[-${text}-]` : `{+${text}+}`);
  const marking = inverse("|") === "|" ? { mark: bracketed, from: wordsFrom } : { mark: inverse, from: 0 };
  const lines = [
    bold(`--- ${status === "added" ? "/dev/null" : `a/${cell(oldPath ?? path)}`}`),
    bold(`+++ ${status === "removed" ? "/dev/null" : `b/${cell(path)}`}`),
  ];
  if (oldPath !== null) lines.push(dim("The file was renamed."));
  if (modeChanged) lines.push(dim("The file mode changed."));
  if (binary) lines.push(dim("The file is binary."));
  if (truncated) lines.push(dim("The file is too large to compare line by line."));
  if (hunks.some(({ lines: changed }) => changed.some(({ text }) => text.endsWith("\r")))) {
    const side = (type: string) =>
      hunks.flatMap((hunk) =>
        hunk.lines.flatMap((line) => (line.type === type ? line.text.replace(/\r$/, "") : [])),
      );
    if (side("del").join("\n") === side("add").join("\n"))
      return [...lines, dim("Its line endings alone changed (CRLF, LF).")];
  }
  for (const { oldStart, oldLines, newStart, newLines, lines: changed } of hunks) {
    lines.push(cyan(cell(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`)));
    const print = (text: string) => brush.foreign(text).replaceAll("\n", "\\n");
    const texts = printWords(changed, print, marking);
    for (const [index, { type, noNewline }] of changed.entries()) {
      lines.push(looks[type](texts[index] ?? ""));
      if (noNewline) lines.push("\\ No newline at end of file");
    }
  }
  return lines;
}
