import type { VersionSummary } from "@promptreg/client";
import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../context.ts";
import { cell, type Output } from "../output.ts";
import { take } from "../take.ts";

export async function log(
  { connect, output }: Context,
  { owner, slug }: PromptAddress,
  { limit }: { limit: number },
): Promise<void> {
  const client = await connect();
  const query = { limit: Math.min(limit, 100) };
  const { items, hasMore } = await take(client.prompts.versions.list({ owner, slug, query }), limit);
  output.result({ items }, () =>
    items.length === 0
      ? output.colors.dim("There is no version.")
      : output.table(
          ["version", "labels", "by", "when", "message"],
          items.map((version) => rowOf(version, output)),
        ),
  );
  if (hasMore && !output.isJson) output.note(`There are older ones: --limit ${limit * 2} shows more.`);
}

function rowOf(
  { n, labels, author, createdAt, message, yanked }: VersionSummary,
  { colors: { bold, cyan, red }, moment }: Output,
): string[] {
  const why = yanked?.reason ? `: ${cell(yanked.reason)}` : "";
  const said = [yanked === null ? "" : red(`yanked${why}`), cell(message?.split("\n")[0] ?? "")];
  return [
    bold(String(n)),
    cyan(cell(labels.join(", "))),
    cell(author.handle),
    moment(createdAt),
    said.filter(Boolean).join("  "),
  ];
}
