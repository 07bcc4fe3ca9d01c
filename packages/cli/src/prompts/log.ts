import { cell } from "../terminal/text.ts";
import type { VersionSummary } from "@promptreg/client";
import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../settings/context.ts";
import type { Output } from "../terminal/output.ts";
import { originOf } from "./origin.ts";
import { authorsOf } from "./proposers.ts";
import { take } from "../requests/take.ts";

export async function log(
  { connect, output }: Context,
  { owner, slug }: PromptAddress,
  { limit }: { limit: number },
): Promise<void> {
  const client = await connect();
  const query = { limit: Math.min(limit, 100) };
  const { items, hasMore } = await take(client.prompts.versions.list({ owner, slug, query }), limit);
  const authorOf = output.isJson ? undefined : await authorsOf(client, { owner, slug }, items);
  output.result({ items, hasMore }, () =>
    output.table(
      ["version", "labels", "by", "when", "message"],
      items.map((version) => rowOf(version, authorOf?.(version) ?? "", output)),
    ),
  );
  if (items.length === 0 && !output.isJson) output.note("There are no versions.");
  output.more(hasMore, "older versions");
}

function rowOf(
  { n, labels, createdAt, message, yanked, origin }: VersionSummary,
  author: string,
  { colors: { bold, cyan, dim, red }, moment }: Output,
): string[] {
  const why = yanked?.reason ? `: ${cell(yanked.reason)}` : "";
  const said = [
    yanked === null ? "" : red(`yanked${why}`),
    cell(message?.split("\n")[0] ?? ""),
    dim(originOf(origin)),
  ];
  return [
    bold(String(n)),
    cyan(cell(labels.join(", "))),
    author,
    moment(createdAt),
    said.filter(Boolean).join("  "),
  ];
}
