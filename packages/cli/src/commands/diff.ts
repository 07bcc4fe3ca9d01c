import type { Diff, FileDiff } from "@promptreg/client";
import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../context.ts";
import { type Output, plain } from "../output.ts";

export async function diff(
  { connect, output }: Context,
  { owner, slug }: PromptAddress,
  range: string,
): Promise<void> {
  const client = await connect();
  const found = await client.prompts.diff({ owner, slug, range });
  output.result(found, () => asText(found, output));
}

function asText({ from, to, files, variables, config }: Diff, output: Output): string {
  const { bold, red, dim } = output.colors;
  if (files.length === 0) return dim(`Versions ${from.n} and ${to.n} are equal.`);
  const { added, removed, changed, breaking } = variables;
  const changes = { added, removed, changed, "settings changed": config.changed };
  const lines = Object.entries(changes).flatMap(([what, names]) =>
    names.length === 0
      ? []
      : [`${what === "settings changed" ? what : `variables ${what}`}: ${plain(names.join(", "))}`],
  );
  if (breaking) lines.push(red("Breaking: values that fitted before may be refused now."));
  return [...files.map((file) => patchOf(file, output)), ...lines.map((line) => bold(line))].join("\n");
}

function patchOf(
  { path, oldPath, status, binary, modeChanged, truncated, hunks }: FileDiff,
  output: Output,
): string {
  const { bold, cyan, green, red, dim } = output.colors;
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
      lines.push(looks[type](output.foreign(text)));
      if (noNewline) lines.push("\\ No newline at end of file");
    }
  }
  return lines.join("\n");
}
