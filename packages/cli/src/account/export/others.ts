import type { CollectionItem, CollectionSummary, StarredPrompt, WatchedPrompt } from "@promptreg/client";
import type { CollectionRecord, StarRecord, WatchRecord } from "@promptreg/core/account";
import { nameOfMedia } from "../../media/index.ts";
import { type Entries, jsonEntry } from "./entries.ts";
import { count, type Exporting, mediaEntry, oldestFirst } from "./run.ts";

/** All collections of the account, with what is in them by its address. */
export async function* collectionEntries(run: Exporting): Entries {
  const query = { mine: true, sort: "newest" as const, limit: 100 };
  let nth = 0;
  for (const collection of await oldestFirst(run.client.collections.list({ query }), (one) => one)) {
    nth += 1;
    yield* entriesOf(run, `collections/${nth}/`, collection);
    count(run, "collections");
  }
}

async function* entriesOf(run: Exporting, folder: string, collection: CollectionSummary): Entries {
  const { id, title, description, visibility, cover, createdAt, updatedAt } = collection;
  let path: string | null = null;
  if (cover) {
    const name = `cover/${nameOfMedia(1, cover)}`;
    yield* mediaEntry(run, folder + name, cover, () => (path = name));
  }
  const items: CollectionRecord["items"] = [];
  for await (const item of run.client.collections.get({ id, query: { limit: 100 } }))
    items.push({ type: item.type, id: addressOf(item), note: item.note });
  yield jsonEntry(`${folder}collection.json`, {
    id,
    title,
    description,
    visibility,
    cover: path,
    createdAt,
    updatedAt,
    items,
  } satisfies CollectionRecord);
}

const addressOf = (item: CollectionItem): string =>
  item.type === "prompt" ? item.target.ref : item.type === "make" ? item.target.slug : item.target.id;

/** What the account starred. The registry lists prompts alone. */
export async function* starEntries(run: Exporting): Entries {
  const lines = await run.spool.lines();
  const list = run.client.stars.list({ query: { limit: 100 } });
  const recordOf = ({ prompt, starredAt }: StarredPrompt): StarRecord => ({ prompt: prompt.ref, starredAt });
  for (const star of await oldestFirst(list, recordOf)) {
    await lines.add(star);
    count(run, "stars");
  }
  yield* lines.entry("stars.jsonl");
}

/** What the account watches, but its own prompts at the level at which they begin. */
export async function* watchEntries(run: Exporting): Entries {
  const lines = await run.spool.lines();
  const list = run.client.watch.list({ query: { limit: 100 } });
  const recordOf = ({ prompt, level, watchedAt }: WatchedPrompt): WatchRecord => ({
    prompt: prompt.ref,
    level,
    watchedAt,
  });
  for (const watch of await oldestFirst(list, recordOf)) {
    if (watch.level === "all" && watch.prompt.startsWith(`${run.me.handle}/`)) continue;
    await lines.add(watch);
    count(run, "watches");
  }
  yield* lines.entry("watches.jsonl");
}
