import type { CollectionItem } from "@promptreg/client";
import { InputError } from "../errors.ts";
import type { PromptAddress } from "@promptreg/core/refs";
import { take } from "../requests/take.ts";
import type { Context } from "../settings/context.ts";
import { cell, countOf } from "../terminal/text.ts";

const refOf = ({ owner, slug }: PromptAddress): string => `${owner}/${slug}`;

/** One after the other: in the order in which they are named. */
export async function addToCollection(
  { connect, output }: Context,
  id: string,
  prompts: readonly PromptAddress[],
  { note }: { note?: string },
): Promise<void> {
  const client = await connect();
  const items: (CollectionItem | null)[] = [];
  for (const prompt of prompts) {
    const body = { type: "prompt" as const, id: refOf(prompt), note };
    items.push((await client.collections.items.add({ id, body })) ?? null);
  }
  output.result({ items }, () => `${output.colors.bold(id)} has ${prompts.map(refOf).join(", ")}`);
}

export async function removeFromCollection(
  { connect, output }: Context,
  id: string,
  prompts: readonly PromptAddress[],
): Promise<void> {
  const client = await connect();
  for (const prompt of prompts) {
    await client.collections.items.removeByTarget({ id, query: { target: `prompt:${refOf(prompt)}` } });
  }
  const removed = prompts.map(refOf);
  output.result({ id, removed }, () => `${output.colors.bold(id)} has ${removed.join(", ")} no more`);
}

export async function reorderCollection(
  { connect, output }: Context,
  id: string,
  prompts: readonly PromptAddress[],
): Promise<void> {
  const client = await connect();
  const asked = client.collections.get({ id, query: { limit: 100 } });
  const { items } = await take(asked, Number.POSITIVE_INFINITY);
  const idOf = new Map(items.map((item) => [item.target.ref, item.id]));
  const first = prompts.map((prompt) => {
    const found = idOf.get(refOf(prompt));
    if (found === undefined) throw new InputError(`The collection ${id} does not contain ${refOf(prompt)}.`);
    return found;
  });
  const itemIds = [...new Set([...first, ...items.map((item) => item.id)])];
  const ordered = await client.collections.items.reorder({ id, body: { itemIds } });
  output.result(ordered ?? null, () => {
    const named = cell(prompts.map(refOf).join(", "));
    const others = itemIds.length - new Set(first).size;
    return `${output.colors.bold(id)} begins with ${named}${others > 0 ? `, before ${countOf(others, "other prompt")}` : ""}`;
  });
}
