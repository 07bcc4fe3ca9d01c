import type { Diff, FileDiff } from "@promptreg/client";
import { type Brush, plain } from "./output.ts";

/** Prints what changed between two versions, line by line up to a bound, and what that means to those who fill them in. */
export function printDiff(diff: Diff, brush: Brush, { maxLines = Number.POSITIVE_INFINITY } = {}): string {
  const { dim } = brush.colors;
  const { from, to, files } = diff;
  if (files.length === 0) return dim(`Versions ${from.n} and ${to.n} are equal.`);
  const patches = files.flatMap((file) => patchOf(file, brush));
  const more = patches.length - maxLines;
  return [
    ...patches.slice(0, maxLines),
    ...(more > 0 ? [dim(`… and ${more} more lines, which promptreg diff shows`)] : []),
    ...meaningOf(diff, brush),
  ].join("\n");
}

function meaningOf({ variables, config }: Diff, { colors: { bold, red } }: Brush): string[] {
  const { added, removed, changed, breaking } = variables;
  const changes = { added, removed, changed, "settings changed": config.changed };
  const lines = Object.entries(changes).flatMap(([what, names]) =>
    names.length === 0
      ? []
      : [`${what === "settings changed" ? what : `variables ${what}`}: ${plain(names.join(", "))}`],
  );
  if (breaking) lines.push(red("Breaking: values that fitted before may be refused now."));
  return lines.map((line) => bold(line));
}

function patchOf(
  { path, oldPath, status, binary, modeChanged, truncated, hunks }: FileDiff,
  brush: Brush,
): string[] {
  const { bold, cyan, green, red, dim } = brush.colors;
  const looks = {
    add: (text: string) => green(`+${text}`),
    del: (text: string) => red(`-${text}`),
    context: (text: string) => ` ${text}`,
  };
  const lines = [
    bold(`--- ${status === "added" ? "/dev/null" : `a/${plain(oldPath ?? path)}`}`),
    bold(`+++ ${status === "removed" ? "/dev/null" : `b/${plain(path)}`}`),
  ];
  if (oldPath !== null) lines.push(dim("The file was renamed."));
  if (modeChanged) lines.push(dim("The file's mode changed."));
  if (binary) lines.push(dim("The file is binary."));
  if (truncated) lines.push(dim("There is too much to compare it line by line."));
  for (const { oldStart, oldLines, newStart, newLines, lines: changed } of hunks) {
    lines.push(cyan(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`));
    for (const { type, text, noNewline } of changed) {
      lines.push(looks[type](brush.foreign(text)));
      if (noNewline) lines.push("\\ No newline at end of file");
    }
  }
  return lines;
}
