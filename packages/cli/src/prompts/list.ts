import { cell } from "../terminal/text.ts";
import type { PromptKind, PromptSummary } from "@promptreg/client";
import type { Context } from "../settings/context.ts";
import { UsageError } from "../errors.ts";
import type { Output } from "../terminal/output.ts";
import { take } from "../requests/take.ts";

interface Options {
  owner?: string;
  public?: boolean;
  query?: string;
  tag?: string[];
  kind?: PromptKind[];
  limit: number;
}

export async function list(
  { connect, output }: Context,
  { owner, public: isPublic = false, query: q, tag, kind, limit }: Options,
): Promise<void> {
  if (isPublic && owner !== undefined) throw new UsageError("Use --owner or --public, not both.");
  const client = await connect();
  const wanted = {
    ...(!isPublic && { owner: owner ?? "me" }),
    ...(q === undefined ? { sort: "updated" as const } : { q }),
    ...(tag && { tag }),
    ...(kind && { kind }),
  };
  const query = { ...wanted, limit: Math.min(limit, 100) };
  const { items, hasMore } = await take(client.prompts.list({ query }), limit);
  output.result({ items, hasMore }, () => asTable(items, output));
  if (items.length === 0 && !output.isJson) output.note("No prompts found.");
  output.more(hasMore);
}

function asTable(
  items: readonly PromptSummary[],
  { colors: { bold, cyan, dim }, table, moment }: Output,
): string {
  return table(
    ["prompt", "kind", "latest", "labels", "updated", "title"],
    items.map(({ ref, kind, latest, labels, updatedAt, title, visibility, status, forkedFrom }) => [
      bold(cell(ref)),
      kind,
      latest === null ? "none" : String(latest.n),
      cyan(cell(labelsText(labels))),
      moment(updatedAt),
      // A title is cut at its end.
      [
        status === "draft" && dim("(draft)"),
        visibility !== "public" && dim(`(${visibility})`),
        cell(title),
        forkedFrom && dim(`(fork of ${cell(forkedFrom.ref)})`),
      ]
        .filter(Boolean)
        .join(" "),
    ]),
  );
}

/** `production 2, staging 3`. */
export const labelsText = (labels: Readonly<Record<string, number>>): string =>
  Object.entries(labels)
    .map(([name, n]) => `${name} ${n}`)
    .join(", ");
