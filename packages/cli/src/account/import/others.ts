import type { CollectionSummary } from "@promptreg/client";
import type { CollectionRecord, StarRecord, WatchRecord } from "@promptreg/core/account";
import { absent } from "../../errors.ts";
import { sendReady } from "../../media/index.ts";
import { createOnce } from "../../requests/create-once.ts";
import { exists, findPrompt } from "./exists.ts";
import type { readCollection } from "./read-unit.ts";
import { attempt, change, type Importing, leaveOut, refHere, tally, whyClosed } from "./run.ts";

/** The collections that are here, each of which stands for one of the archive at most. */
export type Collections = CollectionSummary[];

export async function collectionsHere({ client }: Importing): Promise<Collections> {
  const all: Collections = [];
  for await (const one of client.collections.list({ query: { mine: true, sort: "newest", limit: 100 } }))
    all.push(one);
  return all;
}

/** Brings a collection. Collections have no addresses that stay: one with the same title and description is it. */
export async function bringCollection(
  run: Importing,
  { collection, cover }: Awaited<ReturnType<typeof readCollection>>,
  { nth, here }: { nth: number; here: Collections },
): Promise<void> {
  const { title, description, visibility, items } = collection;
  const name = `the collection ${JSON.stringify(title)}`;
  run.doing(name);
  const at = here.findIndex((one) => one.title === title && one.description === description);
  const [there] = at < 0 ? [] : here.splice(at, 1);
  if (there) tally(run, "collections", "there");
  const isOpen = there !== undefined && there.visibility !== "private";
  if (isOpen && !(run.publish && visibility !== "private")) {
    if (run.publish) leaveOut(run, `what is missing of ${name}`, whyClosed(run));
    return;
  }
  await attempt(run, name, async () => {
    const body = { title, description, visibility: "private" as const };
    const create = () =>
      createOnce(
        [run.head.id, "collection", nth],
        (options) => run.client.collections.create({ body }, options),
        ({ id }) => run.client.collections.get({ id }).catch(absent),
      );
    const made = there ?? (await change(run, "collections", create));
    await bringItems(run, { name, id: made?.id, items });
    if (cover !== null && !there?.cover)
      await change(run, "covers", async () => {
        const sent = await sendReady(run.client, cover, {}, Number.POSITIVE_INFINITY);
        return run.client.collections.update({ id: made?.id ?? "", body: { coverMediaId: sent.mediaId } });
      });
    if (run.publish && visibility !== "private" && (there?.visibility ?? "private") === "private")
      await change(
        run,
        "collections",
        () => run.client.collections.update({ id: made?.id ?? "", body: { visibility } }),
        "opened",
      );
  });
}

async function bringItems(
  run: Importing,
  { name, id, items }: Pick<CollectionRecord, "items"> & { name: string; id: string | undefined },
): Promise<void> {
  for (const item of items) {
    const address = await addressHere(run, item);
    const what = `${item.type} ${item.id} of ${name}`;
    if (address === null) leaveOut(run, what, "it is not here");
    else if (id === undefined || run.isDryRun) tally(run, "items", "created");
    else
      await attempt(run, what, async () => {
        const body = { type: item.type, id: address, note: item.note };
        const { response } = await run.client.collections.items.add({ id, body }).withResponse();
        tally(run, "items", response.status === 200 ? "there" : "created");
      });
  }
}

/** Where something of a collection is here; null if it is not. */
async function addressHere(
  run: Importing,
  { type, id }: CollectionRecord["items"][number],
): Promise<string | null> {
  if (type === "prompt") {
    const { owner, slug } = refHere(run, id);
    return (await exists(run, id)) ? `${owner}/${slug}` : null;
  }
  if (type === "post") {
    const here = run.ids.get(id);
    if (here !== undefined) return here ?? id;
    return (await run.client.posts.get({ id }).catch(absent)) === null ? null : id;
  }
  if (run.taken.makes.has(id)) return null;
  if (run.brought.makes.has(id)) return id;
  return (await run.client.makes.get({ slug: id }).catch(absent)) === null ? null : id;
}

export async function bringStar(run: Importing, { prompt }: StarRecord): Promise<void> {
  const here = await findPrompt(run, prompt);
  if (here === null) return leaveOut(run, `the star of ${prompt}`, "it is not here");
  if (here !== "new" && here.viewer?.starred) return tally(run, "stars", "there");
  const { owner, slug } = refHere(run, prompt);
  await attempt(run, `the star of ${prompt}`, () =>
    change(run, "stars", () => run.client.stars.prompts.add({ owner, slug })),
  );
}

export async function bringWatch(run: Importing, { prompt, level }: WatchRecord): Promise<void> {
  const here = await findPrompt(run, prompt);
  if (here === null) return leaveOut(run, `the watch of ${prompt}`, "it is not here");
  if (here !== "new" && here.viewer?.watchLevel === level) return tally(run, "watches", "there");
  const { owner, slug } = refHere(run, prompt);
  await attempt(run, `the watch of ${prompt}`, () =>
    change(run, "watches", () => run.client.watch.put({ owner, slug, body: { level } })),
  );
}

/** Brings what the profile says, where it says nothing yet: everybody reads it. */
export async function bringProfile(run: Importing): Promise<void> {
  const { account } = run.head;
  const body = Object.fromEntries(
    (["name", "bio", "website"] as const).flatMap((field) =>
      account[field] !== null && run.me[field] === null ? [[field, account[field]]] : [],
    ),
  );
  if (run.publish && Object.keys(body).length > 0)
    await attempt(run, "the profile", () =>
      change(run, "profiles", () => run.client.users.me.update({ body })),
    );
}
