import { cell } from "../terminal/text.ts";
import type { Label } from "@promptreg/client";
import type { PromptAddress } from "@promptreg/core/refs";
import type { Context } from "../settings/context.ts";

export async function listLabels(
  { connect, output }: Context,
  { owner, slug }: PromptAddress,
): Promise<void> {
  const client = await connect();
  const items: Label[] = [];
  for await (const label of client.prompts.labels.list({ owner, slug, query: { limit: 100 } }))
    items.push(label);
  if (items.length === 0) output.note(`${owner}/${slug} has no labels and no versions.`);
  const { bold, dim } = output.colors;
  const rows = items.map(({ name, versionNumber, updatedAt, updatedBy, system }) => [
    (system ? dim : bold)(cell(name)),
    `${versionNumber}`,
    output.moment(updatedAt),
    cell(updatedBy?.handle ?? ""),
  ]);
  output.result({ items }, () => output.table(["label", "version", "since", "by"], rows));
}
