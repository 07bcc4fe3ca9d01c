import type { FoundPrompt, PromptKind, Segment } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import { UsageError } from "../errors.ts";
import { take } from "../requests/take.ts";
import type { Context } from "../settings/context.ts";
import type { Output } from "../terminal/output.ts";
import { cell } from "../terminal/text.ts";

interface Options {
  kind?: PromptKind[];
  tag?: string[];
  owner?: string;
  sort?: "relevance" | "newest" | "stars";
  limit: number;
}

export async function search(
  { connect, output }: Context,
  words: readonly string[],
  { kind, tag, owner, sort, limit }: Options,
): Promise<void> {
  const q = words.join(" ").trim();
  if (q === "") throw new UsageError("Write what to search for.");
  const client = await connect();
  const wanted = {
    q,
    type: "prompt" as const,
    ...(kind && { kind }),
    ...(tag && { tag }),
    ...(owner !== undefined && { owner }),
    ...(sort && { sort }),
  };
  const query = { ...wanted, limit: Math.min(limit, 100) };
  const { items, hasMore } = await take(client.search.query({ query }), limit);
  const found = items.filter((item) => item.type === "prompt");
  output.result({ items: found, hasMore }, () => asTable(found, output));
  if (output.isJson) return;
  const isFiltered = [kind, tag, owner].some((filter) => filter !== undefined);
  if (found.length === 0) {
    const meant = isFiltered ? "" : await meantBy(client, q);
    output.note(`No public prompts found.${meant} \`promptreg list --query\` finds your own.`);
  }
  if (hasMore) output.note("There are more: use --limit, up to 1000.");
}

/** What a misspelt name may have meant. */
async function meantBy(client: Client, q: string): Promise<string> {
  const { items } = await client.search.suggest({ query: { q, type: "prompt", limit: 3 } });
  const names = items.map(({ label, value }) => `${cell(label)} (${cell(value)})`);
  return names.length === 0 ? "" : ` Did you mean ${names.join(", ")}?`;
}

const asTable = (items: readonly FoundPrompt[], output: Output): string =>
  output.table(
    ["prompt", "title", "stars", "match"],
    items.map(({ entity: { ref, title, counts, forkedFrom }, highlights }) => [
      output.colors.bold(cell(ref)),
      `${cell(title)}${forkedFrom ? output.colors.dim(cell(` (fork of ${forkedFrom.ref})`)) : ""}`,
      String(counts.stars),
      lineOf(highlights.entry ?? highlights.summary ?? highlights.title ?? [], output),
    ]),
  );

const lineOf = (segments: readonly Segment[], { colors }: Output): string =>
  segments.map(({ text, match }) => (match ? colors.bold(cell(text)) : cell(text))).join("");
