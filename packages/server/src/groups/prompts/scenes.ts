import {
  each,
  expectDone,
  type Act,
  type GroupScenes,
  type Thing,
  type Stage,
  nextNumber,
} from "../../../test/scenes.ts";

const files = (said: string) => [{ path: "PROMPT.md", content: `${said} {{name}}` }];
const newPrompt = { kind: "text", title: "A prompt", files: files("Hello") };

/** Makes a prompt with two versions. Its label points to version 2. */
async function makePrompt({ owner }: Stage, visibility: "public" | "private"): Promise<Thing> {
  const slug = `scene-${nextNumber()}`;
  const address = `${owner.handle}/${slug}`;
  await expectDone(owner, "POST /prompts", { ...newPrompt, slug, visibility });
  const second = { files: files("Hi"), labels: ["production"] };
  await expectDone(owner, `POST /prompts/${address}/versions`, second);
  const below = { n: 1, name: "production", path: "PROMPT.md", range: "1..production" };
  return { params: { owner: owner.handle, slug, ...below }, address };
}

/** Records the new address of a prompt, and of what is named by it. What has an id follows by itself. */
function move(things: Record<string, Thing>, owner: string, slug: string): void {
  for (const thing of Object.values(things).filter(({ address }) => address.includes("/"))) {
    Object.assign(thing.params, { owner, slug });
    thing.address = thing.address.replace(/^[^@!]*/, `${owner}/${slug}`);
  }
}

/** The prompt that the staged one is a fork of. */
const source = "the-source";
const changeSource =
  (body: object): Act =>
  ({ owner }) =>
    expectDone(owner, `PATCH /prompts/${owner.handle}/${source}`, body);

const asOwner =
  (method: string, below: string, body?: object): Act =>
  ({ owner }, { prompt }) =>
    expectDone(owner, `${method} /prompts/${prompt.address}${below}`, body);
const putLabel = (versionNumber: number, reason: string, name = "production") =>
  asOwner("PUT", `/labels/${name}`, { versionNumber, reason });

const large = "/prompts/bench/large";

export const scenes: GroupScenes<"prompts"> = {
  kinds: {
    prompt: {
      make: (stage, { visibility }) => makePrompt(stage, visibility),
      remove: ({ server }, { params }) =>
        server.sql`update prompts set deleted_at = clock() where slug = ${String(params["slug"])}`,
    },
    version: {
      below: "prompt",
      make: async ({ owner }, { above }) => ({
        params: above.params,
        address: `${above.address}@1`,
        as: { yanker: owner },
      }),
    },
  },
  operations: {
    list: {
      fill: async (stage) => {
        for (const _ of [1, 2]) await stage.make("prompt");
      },
      list: {
        path: "/prompts",
        queries: [
          "",
          ...each("sort", "trending newest updated stars installs title"),
          ...each("q", "check1500 check1500&sort=relevance task&sort=newest"),
          ...each("kind", "text media skill&kind=chat"),
          ...each("tag", "poem poem&tag=note check-1500"),
          ...each("owner", "bench me me&visibility=private me&status=draft"),
          ...each("slugPrefix", "large&owner=bench p&owner=me p&owner=bench&sort=title"),
          ...each("license", "MIT GPL-3.0-only"),
          ...each("rating", "general mature"),
          ...each("hasEvals", "true false"),
          ...each("forkOf", "bench/large"),
          ...each("updatedSince", "2020-01-01T00:00:00Z"),
          ...each(
            "view",
            "version&owner=bench version&owner=bench&label=production version&owner=me&label=nothing",
          ),
        ],
        broad: [...each("q", "task task+plan+-law"), ...each("tag", "agent agent&tag=audit")],
      },
    },
    create: { body: newPrompt, isEchoing: true },
    get: {},
    update: { body: { rating: "mature" } },
    delete: {},
    diff: {},
    "forks.create": {},
    "draft.get": {},
    "draft.put": { isEchoing: true },
    "draft.delete": { isAudited: false },
    "versions.list": { list: { path: `${large}/versions`, queries: [""] } },
    "versions.create": { body: { files: files("Hello again,") }, isEchoing: true },
    "versions.get": { etag: "pinned" },
    "versions.restore": {},
    "versions.yank": { isAudited: true },
    "versions.unyank": {
      prepare: ({ owner }, { address }) =>
        expectDone(owner, `POST /prompts/${address.replace("@", "/versions/")}/yank`),
    },
    "labels.list": {
      fill: ({ owner }, { address }) =>
        expectDone(owner, `PUT /prompts/${address}/labels/staging`, { versionNumber: 1 }),
      list: { path: `${large}/labels`, queries: [""] },
    },
    "labels.put": { body: { versionNumber: 1 }, isAudited: true },
    "labels.delete": {},
    "labels.history": {
      fill: ({ owner }, { address }) =>
        expectDone(owner, `PUT /prompts/${address}/labels/production`, { versionNumber: 1 }),
      list: { path: `${large}/labels/production/history`, queries: [""] },
    },
    download: {},
    "raw.get": {},
    "raw.getFile": {},
  },
  shows: async ({ owner, viewer }, { address, word, isDraft }) => {
    if (isDraft) return;
    await expectDone(owner, `PUT /prompts/${address}/labels/production`, { versionNumber: 1, reason: word });
    await expectDone(viewer, `GET /prompts/${address}/download?format=markdown`);
  },
  counts: {
    "prompt.forks": {
      add: async ({ viewer }, { address, params }) => {
        const slug = `fork-of-${String(params["slug"])}`;
        await expectDone(viewer, `POST /prompts/${address}/forks`, { slug });
        return { owner: viewer, address: `${viewer.handle}/${slug}` };
      },
      list: ({ address }) => `/prompts?forkOf=${address}`,
    },
    "prompt.downloads": {
      changes: {
        "a download": [
          1,
          ({ viewer }, { address }) => expectDone(viewer, `GET /prompts/${address}/download`),
        ],
      },
    },
    "user.prompts": {
      add: async (stage) => ({ owner: stage.owner, ...(await stage.make("prompt")).thing }),
      list: ({ address }) => `/prompts?owner=${address}`,
    },
  },
  connect: async ({ owner, server }, { prompt }) => {
    await expectDone(owner, "POST /prompts", { ...newPrompt, slug: source, visibility: "public" });
    await server.sql`
      update prompts p set forked_from_id = s.id, forked_from_n = 1 from prompts s
      where p.slug = ${String(prompt.params["slug"])} and s.slug = ${source}`;
  },
  changes: {
    "that its source turns private": changeSource({ visibility: "private" }),
    "that its source is public again": changeSource({ visibility: "public" }),
    "a new address of its source": changeSource({ slug: `${source}-x` }),
    "an edit of a prompt": asOwner("PATCH", "", { title: "Other", tags: ["new"] }),
    "a draft": asOwner("PUT", "/draft", { files: files("Draft") }),
    "another draft": asOwner("PUT", "/draft", { files: files("Draft"), message: "For later" }),
    "the deletion of a draft": asOwner("DELETE", "/draft"),
    "a version": asOwner("POST", "/versions", { files: files("Three") }),
    "a label": putLabel(1, "To try", "staging"),
    "a move of a label": putLabel(1, "Better"),
    "the deletion of a label": asOwner("DELETE", "/labels/staging"),
    "a yank": asOwner("POST", "/versions/3/yank", { reason: "Bad" }),
    "an unyank": asOwner("DELETE", "/versions/3/yank"),
    "a new address of a prompt": async ({ owner }, things) => {
      const slug = `${String(things.prompt.params["slug"])}-x`;
      await expectDone(owner, `PATCH /prompts/${things.prompt.address}`, { slug });
      move(things, owner.handle, slug);
    },
    // Like the operator's command.
    "a new handle of its owner": async ({ owner, server }, things) => {
      const handle = `${owner.handle}-x`;
      await server.sql`update users set handle = ${handle}, revision = revision + 1 where id = ${owner.id}`;
      owner.handle = handle;
      things.user.params["handle"] = handle;
      move(things, handle, String(things.prompt.params["slug"]));
    },
    "a change to private": asOwner("PATCH", "", { visibility: "private" }),
    "a change to public": asOwner("PATCH", "", { visibility: "public" }),
  },
};
