import {
  each,
  expectDone,
  ownerDoes,
  type Act,
  type GroupScenes,
  type Stage,
  type Thing,
} from "../../../test/scenes.ts";

/** An account has room for two hundred. Those of earlier tests are not used any more. */
const makeRoom = ({ server: { sql }, owner, sharedAddresses }: Stage) => sql`
  update collections set deleted_at = clock()
  where id in (select id from collections where owner_id = ${owner.id} and deleted_at is null order by id desc offset 50)
    and id <> all (${[...sharedAddresses]})`;

const put = ({ owner }: Stage, collection: Thing, prompt: Thing, note?: string): Promise<{ id: string }> => {
  const item = { type: "prompt", id: prompt.address, ...(note !== undefined && { note }) };
  return expectDone(owner, `POST /collections/${collection.address}/items`, item);
};
/** Puts one more prompt into a collection. */
const putNew = async (stage: Stage, collection: Thing) =>
  put(stage, collection, (await stage.make("prompt")).thing);
/** Puts one more prompt into a collection, and lets its path name the item. */
const nameItem = async (stage: Stage, collection: Thing) => {
  collection.params["itemId"] = (await putNew(stage, collection)).id;
};
const act = (route: string, body?: object): Act => ownerDoes("collection", route, body);

export const scenes: GroupScenes<"collections"> = {
  kinds: {
    collection: {
      make: async (stage, { visibility }) => {
        await makeRoom(stage);
        const { id } = await expectDone(stage.owner, "POST /collections", { title: "Some", visibility });
        return { params: { id }, address: id };
      },
      remove: ({ owner }, { address }) => expectDone(owner, `DELETE /collections/${address}`),
    },
  },
  operations: {
    list: {
      fill: async (stage) => {
        for (const _ of [1, 2]) await stage.make("collection");
      },
      list: {
        path: "/collections",
        queries: [
          "",
          ...each("sort", "updated newest size"),
          ...each("mine", "true true&q=check true&contains=prompt:bench/large true&sort=size"),
          ...each("owner", "bench bench&q=check bench&sort=newest"),
          ...each("q", "check1500"),
        ],
        broad: [
          ...each("q", "task task&sort=size"),
          ...each("contains", "prompt:bench/large prompt:bench/large&sort=newest prompt:bench/large&q=task"),
        ],
      },
    },
    create: { prepare: makeRoom },
    get: {
      etag: "printed",
      fill: async (stage, collection) => {
        for (const _ of [1, 2]) await putNew(stage, collection);
      },
      list: async (sql) => {
        const [first] = await sql<{ id: string }[]>`
          select c.id from collections c join users u on u.id = c.owner_id where u.handle = 'bench' order by c.id limit 1`;
        return { path: `/collections/${first?.id}`, queries: ["", ...each("type", "prompt")] };
      },
    },
    update: { body: { title: "Another" } },
    delete: {},
    "items.add": {},
    "items.reorder": { body: { itemIds: [] } },
    "items.removeByTarget": { isAudited: false },
    "items.update": { prepare: nameItem },
    "items.delete": { prepare: nameItem, isAudited: false },
    membership: { etag: "printed" },
  },
  shows: async (stage, { address, params, word, isDraft }) => {
    const { thing } = await stage.make("collection");
    await put(stage, thing, { params, address }, word);
    if (!isDraft) {
      const { id } = await expectDone(stage.viewer, "POST /collections", { title: "Of others" });
      await expectDone(stage.viewer, `POST /collections/${id}/items`, {
        type: "prompt",
        id: address,
        note: word,
      });
    }
    return { collection: thing };
  },
  counts: {
    "collection.itemCount": {
      list: ({ address }) => `/collections/${address}`,
      add: async (stage, collection) => {
        const { thing } = await stage.make("prompt");
        await put(stage, collection, thing);
        return { owner: stage.owner, address: thing.address };
      },
    },
  },
  connect: async (stage, { collection, prompt }) => {
    collection.params["itemId"] = (await put(stage, collection, prompt)).id;
    const hidden = await stage.make("prompt", "private");
    collection.params["hiddenId"] = (await put(stage, collection, hidden.thing)).id;
  },
  changes: {
    "a new title of a collection": act("PATCH /collections/{id}", { title: "Another" }),
    "a note on an item": act("PATCH /collections/{id}/items/{itemId}", { note: "Begin here" }),
    "one more item": (stage, { collection }) => putNew(stage, collection),
    "another order of items": async ({ owner }, { collection: { address } }) => {
      const { items } = await expectDone(owner, `GET /collections/${address}`);
      const itemIds = items.map(({ id }: { id: string }) => id).reverse();
      await expectDone(owner, `PUT /collections/${address}/items`, { itemIds });
    },
    "the end of an item": act("DELETE /collections/{id}/items/{itemId}"),
  },
  keeps: {
    "a note on what its viewer is not shown": act("PATCH /collections/{id}/items/{hiddenId}", {
      note: "Secret",
    }),
  },
};
