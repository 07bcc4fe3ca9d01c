import type { Client, ResolvedVersion, Version } from "@promptreg/client";
import { apiError } from "@promptreg/core/errors";
import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../context.ts";
import { type Comparison, compareVersions, type FileChange } from "../diff/compare.ts";
import { type Output, plain } from "../output.ts";

export async function diff(
  { connect, output }: Context,
  address: PromptAddress,
  range: { from: number | string; to: number | string },
): Promise<void> {
  const client = await connect();
  const from = await getVersion(client, address, range.from);
  const to = await getVersion(client, address, range.to);
  const comparison = compareVersions(from, to);
  output.result(asData(from, to, comparison), () => asText(from, to, comparison, output));
}

async function getVersion(
  client: Client,
  { owner, slug }: PromptAddress,
  which: number | string,
): Promise<Version> {
  if (typeof which === "number") return client.prompts.versions.get({ owner, slug, n: which });
  const query = { view: "version" as const, ...(which !== "latest" && { label: which }) };
  const { version } = (await client.prompts.get({ owner, slug, query })) as ResolvedVersion;
  if (version === null) throw apiError("not_found", { message: `${owner}/${slug} has no version yet.` });
  return version;
}

/** The comparison in the form in which the API speaks of one. */
function asData(from: Version, to: Version, { files, variables, config }: Comparison) {
  const types: Record<string, string> = { "+": "add", "-": "del", " ": "context" };
  const total = (field: "additions" | "deletions") => files.reduce((sum, file) => sum + file[field], 0);
  return {
    from: { n: from.n },
    to: { n: to.n },
    stats: { files: files.length, additions: total("additions"), deletions: total("deletions") },
    files: files.map(({ hunks, ...file }) => ({
      ...file,
      hunks: hunks.map(({ lines, ...hunk }) => ({
        ...hunk,
        // A backslash begins the remark that a file ends without a line break.
        lines: lines
          .filter((line) => !line.startsWith("\\"))
          .map((line) => ({ type: types[line.charAt(0)], text: line.slice(1) })),
      })),
    })),
    variables,
    config,
  };
}

function asText(
  from: Version,
  to: Version,
  { files, variables, config }: Comparison,
  output: Output,
): string {
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
  { path, status, binary, modeChanged, truncated, hunks }: FileChange,
  output: Output,
): string {
  const { bold, cyan, green, red, dim } = output.colors;
  const paint = (line: string) =>
    line.startsWith("+") ? green(line) : line.startsWith("-") ? red(line) : line;
  const name = plain(path);
  const lines = [
    bold(`--- ${status === "added" ? "/dev/null" : `a/${name}`}`),
    bold(`+++ ${status === "removed" ? "/dev/null" : `b/${name}`}`),
  ];
  if (modeChanged) lines.push(dim("The file's mode changed."));
  if (binary) lines.push(dim("The file is binary."));
  if (truncated) lines.push(dim("The two have too little in common to compare them line by line."));
  for (const { oldStart, oldLines, newStart, newLines, lines: changed } of hunks) {
    lines.push(cyan(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`));
    lines.push(...changed.map((line) => paint(output.foreign(line))));
  }
  return lines.join("\n");
}
