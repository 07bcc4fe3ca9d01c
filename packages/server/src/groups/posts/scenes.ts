import {
  each,
  expectDone,
  ownerDoes,
  type Act,
  type GroupScenes,
  type Stage,
  type Thing,
  nextNumber,
} from "../../../test/scenes.ts";
import type { Sql } from "../../database/sql.ts";

/** Lets the posts of the owner be published without a review. */
const trust = ({ server: { sql }, owner }: Stage) => sql`
  update users set trusted_author = true where id = ${owner.id}`;

/** A post of the owner's that is published, or a draft. */
async function write(
  stage: Stage,
  {
    isPublic = true,
    ...body
  }: { isPublic?: boolean; seriesId?: string; slug?: string; tags?: string[] } = {},
) {
  await trust(stage);
  const { id } = await expectDone(stage.owner, "POST /posts", { title: "A post", body: "It says", ...body });
  if (isPublic) await expectDone(stage.owner, `POST /posts/${id}/submit`, {});
  return String(id);
}

/** Does something with the owner's post that has a slug. */
async function actAt({ owner }: Stage, slug: string, route: string, body?: object): Promise<void> {
  const { items } = await expectDone(owner, `GET /posts?mine=true&slug=${slug}`);
  await expectDone(owner, route.replace("{id}", items[0].id), body);
}
const removeAt = (stage: Stage, slug: string) => actAt(stage, slug, "DELETE /posts/{id}");

/** Lets a post wait for a moderator, with a later text than what everybody reads. */
const submit = async ({ server: { sql }, owner }: Stage, { address }: Thing) => {
  await sql`update users set trusted_author = false where id = ${owner.id}`;
  await expectDone(owner, `PATCH /posts/${address}`, { body: `Later ${nextNumber()}` });
  await expectDone(owner, `POST /posts/${address}/submit`, { note: "A typo" });
};
/** The same, of what may be a draft. */
const publish = async (stage: Stage, { address }: Thing) => {
  await trust(stage);
  await expectDone(stage.owner, `POST /posts/${address}/submit`, {});
};

const act = (route: string, body?: object): Act => ownerDoes("post", route, body);
const actOnSeries = (route: string, body?: object): Act => ownerDoes("series", route, body);

/** The ids of a series with the most posts, and of one with few. */
async function seriesOfBench(sql: Sql): Promise<string> {
  const rows = await sql<{ id: string }[]>`
    select s.id from post_series s join users u on u.id = s.owner_id where u.handle = 'bench' order by s.id limit 2`;
  return rows.map(({ id }) => id).join(" ");
}

export const scenes: GroupScenes<"posts"> = {
  kinds: {
    post: {
      make: async (stage, { visibility }) => {
        const id = await write(stage, { isPublic: visibility === "public" });
        const { items } = await expectDone(stage.owner, `GET /posts/${id}/revisions`);
        return { params: { id, revisionId: items[0].id }, address: id, as: { author: stage.owner } };
      },
      remove: ({ owner }, { address }) => expectDone(owner, `DELETE /posts/${address}`),
    },
    series: {
      make: async (stage, { visibility }) => {
        const { owner } = stage;
        const { sql } = stage.server;
        // An account has room for two hundred.
        await sql`
          update post_series set deleted_at = clock() where owner_id = ${owner.id} and deleted_at is null
            and id in (select id from post_series where owner_id = ${owner.id} order by id desc offset 150)`;
        const { id } = await expectDone(owner, "POST /posts/series", { title: "A series" });
        if (visibility === "public") await write(stage, { seriesId: id });
        return { params: { id }, address: id };
      },
      remove: ({ owner }, { address }) => expectDone(owner, `DELETE /posts/series/${address}`),
    },
  },
  operations: {
    list: {
      fill: async (stage) => {
        for (const _ of [1, 2]) await write(stage);
      },
      list: async (sql) => ({
        path: "/posts",
        queries: [
          "",
          ...each("sort", "newest votes"),
          ...each("mine", "true true&q=check true&status=draft true&sort=votes"),
          ...each("author", "bench bench&q=check bench&sort=votes bench&slug=post-0"),
          ...each("q", "check1500"),
          ...each("slug", "post-7"),
          ...each("series", await seriesOfBench(sql)),
        ],
        broad: [...each("q", "task task&sort=votes"), ...each("tag", "ai ai&sort=votes")],
        moderated: each("status", "in_review"),
      }),
    },
    create: {},
    get: { etag: "printed" },
    update: {},
    delete: {},
    autosave: {},
    submit: {},
    unpublish: { prepare: publish },
    withdraw: { prepare: submit },
    "revisions.list": {
      fill: ({ owner }, { address }) => expectDone(owner, `PATCH /posts/${address}`, { title: "Another" }),
      list: async (sql) => {
        const [first] = await sql<{ id: string }[]>`
          select b.id from posts b join users u on u.id = b.owner_id where u.handle = 'bench' order by b.id limit 1`;
        return { path: `/posts/${first?.id}/revisions`, queries: [""] };
      },
    },
    "revisions.get": { etag: "printed" },
    "revisions.restore": {},
    "series.list": {
      fill: async (stage) => {
        for (const _ of [1, 2]) await stage.make("series");
      },
      list: { path: "/posts/series", queries: [""] },
    },
    "series.create": {},
    "series.get": { etag: "printed" },
    "series.update": { body: { title: "Another" } },
    "series.delete": {},
    "series.reorder": {
      prepare: ({ server: { sql } }, { address }) =>
        sql`update posts set series_id = null where series_id = ${address}`,
      body: { postIds: [] },
    },
  },
  shows: async (stage) => ({
    post: (await stage.make("post")).thing,
    series: (await stage.make("series")).thing,
  }),
  counts: {
    "user.posts": {
      list: ({ address }) => `/posts?author=${address}`,
      changes: {
        "a post": [1, (stage) => write(stage, { slug: "counted" })],
        "a draft": [0, (stage) => write(stage, { isPublic: false })],
        "its deletion": [-1, (stage) => removeAt(stage, "counted")],
      },
    },
    "tag.posts": {
      changes: {
        "a post": [1, (stage, { address }) => write(stage, { slug: "tagged", tags: [address] })],
        "a draft": [0, (stage, { address }) => write(stage, { isPublic: false, tags: [address] })],
        "the end of its publication": [
          -1,
          (stage) => actAt(stage, "tagged", "POST /posts/{id}/unpublish", {}),
        ],
        "its return": [1, (stage) => actAt(stage, "tagged", "POST /posts/{id}/submit", {})],
        "another tag": [-1, (stage) => actAt(stage, "tagged", "PATCH /posts/{id}", { tags: ["other"] })],
      },
    },
    "series.postCount": {
      list: ({ address }) => `/posts?series=${address}`,
      changes: {
        "a post": [1, (stage, { address }) => write(stage, { seriesId: address, slug: "counted-part" })],
        "a draft": [0, (stage, { address }) => write(stage, { seriesId: address, isPublic: false })],
        "the deletion of a post": [-1, (stage) => removeAt(stage, "counted-part")],
      },
    },
  },
  connect: async ({ owner }, { post, series }) => {
    await expectDone(owner, `PATCH /posts/${post.address}`, { seriesId: series.address });
    const { id } = await expectDone(owner, "POST /posts", { title: "Next", seriesId: series.address });
    post.params["nextId"] = id;
  },
  changes: {
    "a new text of a post": act("PATCH /posts/{id}", { title: "Another", body: "It says more" }),
    "its publication": (stage, { post }) => publish(stage, post),
    "other tags of a post": act("PATCH /posts/{id}", { tags: ["another"] }),
    "a new slug of a post": act("PATCH /posts/{id}", { slug: "another-slug" }),
    "a save of its working copy": act("PUT /posts/{id}/autosave", { body: "It will say" }),
    "its submission": (stage, { post }) => submit(stage, post),
    "the end of a submission": act("POST /posts/{id}/withdraw"),
    "the publication of a restored text": async (stage, things) => {
      await act("POST /posts/{id}/revisions/{revisionId}/restore")(stage, things);
      await publish(stage, things.post);
    },
    "a new title of a series": actOnSeries("PATCH /posts/series/{id}", { title: "Another" }),
    "another order of a series": async ({ owner }, { series: { address } }) => {
      const { posts } = await expectDone(owner, `GET /posts/series/${address}`);
      const postIds = posts.map(({ id }: { id: string }) => id).reverse();
      await expectDone(owner, `POST /posts/series/${address}/reorder`, { postIds });
    },
    "the end of a part of a series": act("PATCH /posts/{nextId}", { seriesId: null }),
    "the end of a publication": act("POST /posts/{id}/unpublish", {}),
  },
};
