import { TagDetail } from "@promptreg/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";
import { expectDone } from "../../../test/scenes.ts";
import { addUpTags } from "./tags.sql.ts";

let server: TestServer;
let alice: Person;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  alice = await server.join("alice");
});
afterAll(() => server.stop());

const list = async (query = "") => {
  await addUpTags(server.sql);
  const { json } = await server.anonymous(`GET /tags?${query}`);
  return json.items.map(({ name, promptCount }: any) => `${name} ${promptCount}`);
};
const get = (tag: string, who: Pick<Person, "request"> = server.nobody) => who.request(`GET /tags/${tag}`);
const countOf = async (tag: string) => (await get(tag)).json.counts?.prompts ?? 0;
const edit = (slug: string, body: object) => alice.request(`PATCH /prompts/alice/${slug}`, { body });

describe("the count of a tag", () => {
  test("is at once that of the public prompts that have it", async () => {
    await publish(alice, "first", { tags: ["poem", "short"] });
    await publish(alice, "second", { tags: ["poem"] });
    expect(await countOf("poem")).toBe(2);
    await addUpTags(server.sql);
    expect(await countOf("poem")).toBe(2);
  });

  test.for([
    ["another visibility", { visibility: "unlisted" }, { visibility: "public" }],
    ["privacy", { visibility: "private" }, { visibility: "public" }],
    ["other tags", { tags: ["other"] }, { tags: ["changing"] }],
    ["a rating as mature", { rating: "mature" }, { rating: "general" }],
  ] as const)("ends with %s, and comes back", async ([, away, back]) => {
    await publish(alice, "changing", { tags: ["changing"] }).catch(() => {});
    expect(await countOf("changing")).toBe(1);
    await edit("changing", away);
    expect((await get("changing")).status).toBe(404);
    await edit("changing", { title: "Only the title" });
    expect((await get("changing")).status).toBe(404);
    await edit("changing", back);
    expect(await countOf("changing")).toBe(1);
  });

  test("is beside that of makes and that of posts, of which those count that everybody finds", async () => {
    const countsOf = async () => (await get("robot")).json.counts;
    await publish(alice, "robots", { tags: ["robot"] });
    const make = { title: "A bot", slug: "tagged", body: "It greets", tags: ["robot"], publish: true };
    await expectDone(alice, "POST /makes", make);
    expect(await countsOf()).toEqual({ prompts: 1, makes: 1, posts: 0 });
    await expectDone(alice, "PATCH /makes/tagged", { visibility: "unlisted" });
    expect(await countsOf()).toEqual({ prompts: 1, makes: 0, posts: 0 });
    await expectDone(alice, "PATCH /makes/tagged", { visibility: "public" });
    await server.sql`update users set trusted_author = true where id = ${alice.id}`;
    const { id } = await expectDone(alice, "POST /posts", { title: "Bots", body: "Hi", tags: ["robot"] });
    await expectDone(alice, `POST /posts/${id}/submit`, {});
    expect(await countsOf()).toEqual({ prompts: 1, makes: 1, posts: 1 });
    await expectDone(alice, `POST /posts/${id}/unpublish`, {});
    await expectDone(alice, "PATCH /makes/tagged", { status: "draft" });
    expect(await countsOf()).toEqual({ prompts: 1, makes: 0, posts: 0 });
  });

  test("does not wait for another process that adds up the same", async () => {
    await publish(alice, "shared", { tags: ["shared"] });
    await server.sql.begin(async (sql) => {
      await sql`delete from tag_changes`;
      await addUpTags(server.sql);
      expect(await countOf("shared")).toBe(1);
    });
  });

  test("begins when a draft is published, and ends when a prompt is deleted", async () => {
    await publish(alice, "later", { tags: ["later"], publish: false });
    expect((await get("later")).status).toBe(404);
    await alice.request("POST /prompts/alice/later/versions", {
      body: { files: [{ path: "PROMPT.md", content: "Now" }] },
    });
    expect(await countOf("later")).toBe(1);
    await alice.request("DELETE /prompts/alice/later");
    expect([(await get("later")).status, await list("q=later")]).toEqual([404, []]);
  });

  test("is right when many prompts change at the same time", async () => {
    const slugs = Array.from({ length: 6 }, (_, nth) => `crowd-${nth}`);
    for (const slug of slugs) await publish(alice, slug, { tags: ["crowd"] });
    await Promise.all([
      ...slugs.slice(0, 3).map((slug) => edit(slug, { visibility: "private" })),
      ...slugs.slice(3).map((slug) => edit(slug, { tags: ["crowd", "more"] })),
      addUpTags(server.sql),
      addUpTags(server.sql),
    ]);
    expect([await countOf("crowd"), await countOf("more")]).toEqual([3, 3]);
    expect(await list("q=crowd")).toEqual(["crowd 3"]);
  });
});

describe("the list of tags", () => {
  beforeAll(async () => {
    for (const [nth, tags] of [["zoo"], ["zoo", "zebra"], ["zoo", "zebra", "zinc"]].entries()) {
      await publish(alice, `z-${nth}`, { tags });
    }
    await publish(alice, "z-private", { tags: ["zulu"], visibility: "private" });
  });

  test.for([
    ["q=z", ["zoo 3", "zebra 2", "zinc 1"]],
    ["q=z&sort=name", ["zebra 2", "zinc 1", "zoo 3"]],
    ["q=ze", ["zebra 2"]],
    ["q=zulu", []],
    ["limit=1", ["zoo 3"]],
  ] as const)("asked for %s, has only tags of public prompts, in order", async ([query, expected]) => {
    if (query === "limit=1") await edit("crowd-3", { tags: [] });
    expect(await list(query)).toEqual([...expected]);
  });

  test.for(["sort=count", "sort=name", "q=z", "q=z&sort=name"])(
    "can be read page by page by %s",
    async (query) => {
      const whole = await list(query);
      const read: string[] = [];
      for (let cursor = ""; ; ) {
        const { json } = await server.anonymous(`GET /tags?${query}&limit=1${cursor}`);
        read.push(...json.items.map(({ name, promptCount }: any) => `${name} ${promptCount}`));
        if (json.nextCursor === null) break;
        cursor = `&cursor=${json.nextCursor}`;
      }
      expect(read).toEqual(whole);
    },
  );

  test("shows no tag that the last seconds left unused", async () => {
    await publish(alice, "gone", { tags: ["zygote"] });
    expect(await list("q=zy")).toEqual(["zygote 1"]);
    await edit("gone", { visibility: "private" });
    const { json } = await server.anonymous("GET /tags?q=zy");
    expect(json.items).toEqual([]);
  });

  test("counts makes too, those of the last seconds included, and has what only these have", async () => {
    const items = async (q: string) => (await server.anonymous(`GET /tags?q=${q}`)).json.items;
    const make = { title: "A bot", slug: "zoo-bot", body: "x", publish: true, tags: ["zebra", "zap"] };
    expect((await alice.request("POST /makes", { body: make })).status).toBe(201);
    expect(await items("zebra")).toEqual([{ name: "zebra", promptCount: 2, makeCount: 1, postCount: 0 }]);
    expect((await get("zap")).json.counts).toEqual({ prompts: 0, makes: 1, posts: 0 });
    await addUpTags(server.sql);
    expect(await items("zap")).toEqual([{ name: "zap", promptCount: 0, makeCount: 1, postCount: 0 }]);
    await alice.request("DELETE /makes/zoo-bot");
    expect(await items("zap")).toEqual([]);
  });

  test("counts posts as well, and has what only these have", async () => {
    const items = async () => (await server.anonymous("GET /tags?q=zi")).json.items;
    await server.sql`update users set trusted_author = true where id = ${alice.id}`;
    const post = { title: "On zips", body: "They close", tags: ["zip"] };
    const { id } = (await alice.request("POST /posts", { body: post })).json;
    expect((await get("zip")).status).toBe(404);
    await alice.request(`POST /posts/${id}/submit`, { body: {} });
    expect((await get("zip")).json.counts).toEqual({ prompts: 0, makes: 0, posts: 1 });
    await addUpTags(server.sql);
    const zip = { name: "zip", promptCount: 0, makeCount: 0, postCount: 1 };
    expect(await items()).toContainEqual(zip);
    await alice.request(`DELETE /posts/${id}`);
    expect(await items()).not.toContainEqual(zip);
  });
});

describe("a tag", () => {
  test("shows the most starred prompts, and the tags that they have beside it", async () => {
    for (const [slug, tags] of Object.entries({ a: ["top", "x", "y"], b: ["top", "x"], c: ["top"] })) {
      await publish(alice, `top-${slug}`, { tags });
    }
    await publish(alice, "top-hidden", { tags: ["top", "hidden"], visibility: "private" });
    await server.sql`update prompts set hourly_stars = 9 where slug = 'top-b'`;
    const { status, json } = await get("top", alice);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      name: "top",
      counts: { prompts: 3, makes: 0, posts: 0 },
      related: ["x", "y"],
    });
    expect(json.topPrompts.map(({ slug }: any) => slug)).toEqual(["top-b", "top-c", "top-a"]);
    expect(json.topPrompts[0].viewer.isOwner).toBe(true);
  });

  test("shows ten others at most, and the contract says so", async () => {
    const tags = Array.from({ length: 11 }, (_, nth) => `wide-${String(nth).padStart(2, "0")}`);
    // The last of them is on both.
    for (const [nth, some] of [[...tags.slice(0, 6), "wide-10"], tags.slice(6)].entries())
      await publish(alice, `wide-${nth}`, { tags: ["wide", ...some] });
    const { json } = await get("wide");
    expect(json.related).toEqual(["wide-10", ...tags.slice(0, 9)]);
    expect(TagDetail.safeParse({ ...json, related: tags }).success).toBe(false);
  });

  test.for(["unused", "Poem", "%00", "a".repeat(33), "-a", "%F0%9F%98%80"])(
    "is not found as %s",
    async (tag) => {
      const { status, json } = await get(tag);
      expect([status, json.error.code]).toEqual([404, "not_found"]);
    },
  );
});
