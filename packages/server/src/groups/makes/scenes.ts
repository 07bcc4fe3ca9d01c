import {
  each,
  expectDone,
  ownerDoes,
  type Act,
  type GroupScenes,
  type Stage,
  type Thing,
} from "../../../test/scenes.ts";

/** A make of somebody's that is published, or a draft. */
const makeOne = (
  who: Stage["owner"],
  body: object = {},
): Promise<{ slug: string; links: { id: string }[] }> =>
  expectDone(who, "POST /makes", { title: "A bot", body: "It reviews", publish: true, ...body });
/** A make of the viewer's with a link to a prompt, which waits. */
const linkOfViewer = async (stage: Stage, prompt: Thing): Promise<{ slug: string; linkId: string }> => {
  const { slug, links } = await makeOne(stage.viewer, { prompts: [{ prompt: prompt.address }] });
  return { slug, linkId: String(links[0]?.id) };
};
/** Something of a make, by the path of its kind. */
const addTo = async (
  { owner }: Stage,
  { address }: Thing,
  [path, body]: readonly [path: string, body: object],
): Promise<string> => (await expectDone(owner, `POST /makes/${address}/${path}`, body)).id;
const embed = ["media", { embedUrl: "https://youtu.be/dQw4w9WgXcQ", caption: "It reviews" }] as const;
const wheel = [
  "parts",
  { name: "Wheel", quantity: 2.5, price: { amount: "1.50", currency: "EUR" } },
] as const;
/** Lets the path of a make name something new of it. */
const naming = (name: string, thing: typeof embed | typeof wheel) => async (stage: Stage, make: Thing) => {
  make.params[name] = await addTo(stage, make, thing);
};
const [ofFile, ofItem, ofPart] = [{ id: "fileId" }, { id: "itemId" }, { id: "partId" }];
/** Attaches a file that is ready as if a worker had read it. */
async function attach({ server: { sql }, owner }: Stage, { address }: Thing): Promise<string> {
  const [file] = await sql<{ id: string }[]>`
    with sent as (
      insert into media (owner_id, kind, media_type, filename, status, size, sha256, sent_size, sent_sha256, link_secret)
      values (${owner.id}, 'file', 'text/plain', 'bot.py', 'ready', 7, ${"0".repeat(64)}, 7, ${"0".repeat(64)}, '\\x00')
      returning id
    )
    insert into make_files (make_id, media_id, label, position)
    select k.id, sent.id, 'bot.py', 1 + (select count(*) from make_files where make_id = k.id)
    from sent, makes k where k.slug = ${address} returning id`;
  return file?.id ?? "";
}

const act = (route: string, body?: object): Act => ownerDoes("make", route, body);
const orderOf =
  (path: string, field: string): Act =>
  async ({ owner }, { make: { address } }) => {
    const make = await expectDone(owner, `GET /makes/${address}`);
    const ids = make[field].map(({ id }: { id: string }) => id).reverse();
    await expectDone(owner, `POST /makes/${address}/${path}/reorder`, { ids });
  };
/** What a viewer did with the links of a prompt, before anything changes. */
const decide =
  (verb: string, body?: object): Act =>
  async ({ owner, viewer }, { prompt }) => {
    const { items } = await expectDone(viewer, "GET /makes?mine=true");
    for (const { slug } of items) {
      const { links } = await expectDone(viewer, `GET /makes/${slug}`);
      const link = links.find(({ prompt: { ref } }: { prompt: { ref: string } }) => ref === prompt.address);
      if (link) return expectDone(owner, `POST /makes/${slug}/prompts/${link.id}/${verb}`, body);
    }
    throw new Error("the viewer made nothing with this prompt");
  };

export const scenes: GroupScenes<"makes"> = {
  kinds: {
    make: {
      make: async (stage, { visibility }) => {
        const { slug } = await makeOne(stage.owner, { publish: visibility === "public" });
        const params = { slug, fileId: await attach(stage, { params: {}, address: slug }) };
        return {
          params,
          get address() {
            return params.slug;
          },
          as: { maker: stage.owner },
        };
      },
      remove: ({ owner }, { address }) => expectDone(owner, `DELETE /makes/${address}`),
    },
    make_link: {
      below: "make",
      make: async (stage, { above }) => {
        const { thing } = await stage.make("prompt");
        const { id } = await expectDone(stage.owner, `POST /makes/${above.address}/prompts`, {
          prompt: thing.address,
        });
        // It moves with its make.
        const params = {
          get slug() {
            return above.params["slug"];
          },
          linkId: id,
        };
        return { params, address: id, as: { maker: stage.owner } };
      },
    },
  },
  operations: {
    list: {
      fill: async ({ owner }) => {
        for (const _ of [1, 2]) await makeOne(owner);
      },
      list: {
        path: "/makes",
        queries: [
          "",
          ...each("sort", "newest trending stars"),
          ...each("mine", "true true&q=check true&status=draft true&sort=stars"),
          ...each("maker", "bench bench&q=check bench&sort=newest"),
          ...each("q", "check1500"),
          ...each("remixOf", "make-1"),
          ...each("prompt", "bench/p1"),
        ],
        broad: [
          ...each("q", "task task&sort=stars"),
          ...each("tag", "ai ai&sort=newest"),
          ...each("prompt", "bench/large bench/large&sort=newest"),
        ],
      },
    },
    create: {},
    get: { etag: "printed" },
    update: { body: { title: "Another" } },
    delete: {},
    "files.add": { file: { name: "bot.py", content: "print()" } },
    "files.update": { params: ofFile, body: { label: "Another" } },
    "files.delete": { params: ofFile, isAudited: false },
    "files.download": { params: ofFile, etag: "none" },
    "files.reorder": {
      prepare: ({ server: { sql } }, { address }) =>
        sql`delete from make_files f using makes k where k.id = f.make_id and k.slug = ${address}`,
      body: { ids: [] },
    },
    "media.add": { body: { embedUrl: "https://vimeo.com/76979871" } },
    "media.update": { params: ofItem, prepare: naming("itemId", embed), body: { caption: "Another" } },
    "media.delete": { params: ofItem, prepare: naming("itemId", embed), isAudited: false },
    "media.reorder": { body: { ids: [] } },
    "parts.add": {},
    "parts.update": { params: ofPart, prepare: naming("partId", wheel), body: { name: "Another" } },
    "parts.delete": { params: ofPart, prepare: naming("partId", wheel), isAudited: false },
    "parts.reorder": { body: { ids: [] } },
    "prompts.link": {},
    "prompts.unlink": {},
    "prompts.approve": {
      prepare: (stage, make_link) =>
        act("POST /makes/{slug}/prompts/{linkId}/reject", {})(stage, { make: make_link } as never),
    },
    "prompts.pin": { body: { pinned: true } },
    "prompts.reject": {},
    remix: {},
    familyTree: { etag: "printed" },
    gallery: {
      fill: async (stage, prompt) => {
        for (const _ of [1, 2]) await makeOne(stage.owner, { prompts: [{ prompt: prompt.address }] });
      },
      list: {
        path: "/makes/gallery",
        queries: each("prompt", "bench/large bench/large&version=1"),
      },
    },
    inbox: {
      fill: async (stage) => {
        for (const _ of [1, 2]) await linkOfViewer(stage, (await stage.make("prompt")).thing);
      },
      list: { path: "/makes/inbox", queries: ["", ...each("prompt", "bench/large bench/p1")] },
    },
  },
  shows: async (stage, { address, word, isDraft }) => {
    const { thing } = await stage.make("make");
    const note = { note: word };
    if (!isDraft) {
      await expectDone(stage.owner, `POST /makes/${thing.address}/prompts`, { prompt: address, ...note });
      await makeOne(stage.viewer, { title: "Of others", prompts: [{ prompt: address, ...note }] });
    }
    return { make: thing };
  },
  counts: {
    "prompt.makes": {
      list: ({ address }) => `/makes/gallery?prompt=${address}`,
      changes: {
        "a make of its owner": [
          1,
          ({ owner }, { address }) => makeOne(owner, { prompts: [{ prompt: address }] }),
        ],
        "a draft": [
          0,
          ({ owner }, { address }) => makeOne(owner, { prompts: [{ prompt: address }], publish: false }),
        ],
        "a make that waits": [0, (stage, prompt) => linkOfViewer(stage, prompt)],
        "an approval": [1, (stage, prompt) => decide("approve")(stage, { prompt } as never)],
        "the same approval": [0, (stage, prompt) => decide("approve")(stage, { prompt } as never)],
        "a rejection": [-1, (stage, prompt) => decide("reject", {})(stage, { prompt } as never)],
      },
    },
    "make.stars": {
      changes: {
        "a star": [1, ({ viewer }, { address }) => expectDone(viewer, `POST /makes/${address}/star`)],
        "the same star": [0, ({ viewer }, { address }) => expectDone(viewer, `POST /makes/${address}/star`)],
        "the end of a star": [
          -1,
          ({ viewer }, { address }) => expectDone(viewer, `DELETE /makes/${address}/star`),
        ],
      },
    },
    "make.remixes": {
      list: ({ address }) => `/makes?remixOf=${address}`,
      changes: {
        "a remix that is a draft": [
          0,
          ({ viewer }, { address }) =>
            expectDone(viewer, `POST /makes/${address}/remix`, { slug: "remixed" }),
        ],
        "its publication": [
          1,
          ({ viewer }) => expectDone(viewer, "PATCH /makes/remixed", { status: "published" }),
        ],
        "an edit of it": [0, ({ viewer }) => expectDone(viewer, "PATCH /makes/remixed", { title: "Mine" })],
        "its end in lists": [
          -1,
          ({ viewer }) => expectDone(viewer, "PATCH /makes/remixed", { visibility: "unlisted" }),
        ],
      },
    },
    "make.downloads": {
      changes: {
        "a download": [
          1,
          async (stage, make) => {
            const id = await attach(stage, make);
            await stage.server.anonymous(`GET /makes/${make.address}/files/${id}/download`);
          },
        ],
      },
    },
    "user.makes": {
      list: ({ address }) => `/makes?maker=${address}`,
      changes: {
        "a make": [1, ({ owner }) => makeOne(owner, { slug: "counted" })],
        "an unlisted one": [0, ({ owner }) => makeOne(owner, { visibility: "unlisted" })],
        "its deletion": [-1, ({ owner }) => expectDone(owner, "DELETE /makes/counted")],
      },
    },
    "tag.makes": {
      changes: {
        "a make": [1, ({ owner }, { address }) => makeOne(owner, { slug: "tagged", tags: [address] })],
        "its end in lists": [
          -1,
          ({ owner }) => expectDone(owner, "PATCH /makes/tagged", { visibility: "unlisted" }),
        ],
        "its return": [1, ({ owner }) => expectDone(owner, "PATCH /makes/tagged", { visibility: "public" })],
        "another tag": [-1, ({ owner }) => expectDone(owner, "PATCH /makes/tagged", { tags: ["other"] })],
      },
    },
  },
  connect: async (stage, { make, prompt }) => {
    make.params["partId"] = await addTo(stage, make, wheel);
    make.params["itemId"] = await addTo(stage, make, embed);
    await attach(stage, make);
    await linkOfViewer(stage, prompt);
  },
  changes: {
    "a new text of a make": act("PATCH /makes/{slug}", { body: "It reviews **well**" }),
    "one more item in a gallery": (stage, { make }) => addTo(stage, make, embed),
    "a new caption": act("PATCH /makes/{slug}/media/{itemId}", { caption: "Another" }),
    "another order of a gallery": orderOf("media", "media"),
    "the end of an item": act("DELETE /makes/{slug}/media/{itemId}"),
    "one more part": (stage, { make }) => addTo(stage, make, wheel),
    "a new price": act("PATCH /makes/{slug}/parts/{partId}", { price: { amount: "2.00", currency: "EUR" } }),
    "another order of parts": orderOf("parts", "parts"),
    "the end of a part": act("DELETE /makes/{slug}/parts/{partId}"),
    "one more file": (stage, { make }) => attach(stage, make),
    "a new label of a file": act("PATCH /makes/{slug}/files/{fileId}", { label: "The bot" }),
    "another order of files": orderOf("files", "files"),
    "the end of a file": act("DELETE /makes/{slug}/files/{fileId}"),
    "a link to a prompt": ({ owner }, { make, prompt }) =>
      expectDone(owner, `POST /makes/${make.address}/prompts`, { prompt: prompt.address }),
    "the approval of a make": decide("approve"),
    "a pinned make": decide("pin", { pinned: true }),
    "the rejection of a make": decide("reject", { reason: "Not yet" }),
    "a remix": async ({ viewer }, { make }) => {
      const { slug } = await expectDone(viewer, `POST /makes/${make.address}/remix`, {});
      await expectDone(viewer, `PATCH /makes/${slug}`, { status: "published" });
    },
    "a new address of a make": async ({ owner }, { make }) => {
      await expectDone(owner, `PATCH /makes/${make.address}`, { slug: "moved-make" });
      make.params["slug"] = "moved-make";
    },
  },
  keeps: {
    "a download of a file": ({ server }, { make: { address, params } }) =>
      server.anonymous(`GET /makes/${address}/files/${String(params["fileId"])}/download`),
  },
};
