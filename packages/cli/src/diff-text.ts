import type { Diff, FileDiff } from "@promptreg/client";
import { type Output, plain } from "./output.ts";

/** How a diff is painted, and how the text of others is shown in it. */
export type Look = Pick<Output, "colors" | "foreign">;

/** The files line by line, and what the change means for those who fill the prompt in. */
export function diffAsText({ files, variables, config }: Omit<Diff, "from" | "to">, look: Look): string {
  const { bold, red } = look.colors;
  const { added, removed, changed, breaking } = variables;
  const changes = {
    "variables added": added,
    "variables removed": removed,
    "variables changed": changed,
    "settings changed": config.changed,
  };
  const lines = Object.entries(changes).flatMap(([what, names]) =>
    names.length === 0 ? [] : [`${what}: ${plain(names.join(", "))}`],
  );
  if (breaking) lines.push(red("Breaking: values that fitted before may be refused now."));
  return [...files.map((file) => patchOf(file, look)), ...lines.map((line) => bold(line))].join("\n");
}

/** `+3 −1`, as far as lines were counted. */
export const countsOf = ({ stats }: Pick<Diff, "stats">): string => `+${stats.additions} −${stats.deletions}`;

function patchOf(
  { path, oldPath, status, binary, modeChanged, truncated, hunks }: FileDiff,
  { colors, foreign }: Look,
): string {
  const { bold, cyan, green, red, dim } = colors;
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
      lines.push(looks[type](foreign(text)));
      if (noNewline) lines.push("\\ No newline at end of file");
    }
  }
  return lines.join("\n");
}
