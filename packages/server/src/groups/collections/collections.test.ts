import { limits } from "@promptreg/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { png, upload } from "../../../test/media.ts";
import { publish } from "../../../test/prompts.ts";
import { codeOf, itemsOf } from "../../../test/requests.ts";
import { expectDone } from "../../../test/scenes.ts";
import { liftLimits } from "../../../test/stage.ts";
import { siteOf } from "../../kernel/media/looking.ts";
import { selectCollection } from "./items.sql.ts";

let server: TestServer;
let alice: Person;
let bob: Person;
let admin: Person;

beforeAll(async () => {
  server = await startTestServer();
  await liftLimits(server);
  alice = await server.join("alice");
  bob = await server.join("bob");
  admin = await server.join("root", { role: "admin" });
});
afterAll(() => server.stop());

const create = (who: Person, title: string, fields: object = {}) =>
  expectDone(who, "POST /collections", { title, ...fields });
const put = (who: Person, id: string, ref: string) =>
  expectDone(who, `POST /collections/${id}/items`, { type: "prompt", id: ref });
const titlesOf = async (who: Pick<Person, "request">, query: string): Promise<string[]> =>
  (await itemsOf(who, `GET /collections?${query}`)).map(({ title }) => title);
const auditedOf = async (id: string) =>
  (await server.sql`select action, data from audit_log where target = ${id} order by id`).map(
    ({ action, data }) => [action, data],
  );

describe("a collection", () => {
  test("is public unless it says otherwise, empty, and has an address", async () => {
    const body = { title: "Daily" };
    const { status, json, headers } = await alice.request("POST /collections", { body });
    expect([status, headers.get("location")]).toEqual([201, `${server.url}/api/v1/collections/${json.id}`]);
    expect(json).toMatchObject({ title: "Daily", description: null, visibility: "public", cover: null });
    expect(json).toMatchObject({ owner: { handle: "alice" }, itemCount: 0, items: [], nextCursor: null });
    expect((await server.anonymous(`GET /collections/${json.id}`)).json).toEqual(json);
  });

  test("changes what is sent, and nothing else", async () => {
    const { id } = await create(alice, "Before", { description: "Kept" });
    const patch = (body: object) => expectDone(alice, `PATCH /collections/${id}`, body);
    expect(await patch({ title: "After" })).toMatchObject({ title: "After", description: "Kept" });
    expect(await patch({ description: null })).toMatchObject({ title: "After", description: null });
    const { updatedAt } = await patch({});
    await server.setClock("2031-01-01T00:00:00Z");
    expect((await patch({ title: "After" })).updatedAt).toBe(updatedAt);
  });

  test("has a picture of its owner's as its cover, until another takes its place or the collection ends", {
    tags: "long",
  }, async () => {
    const { id } = await create(alice, "Covered");
    const edit = (coverMediaId: unknown) =>
      alice.request(`PATCH /collections/${id}`, { body: { coverMediaId } });
    const [first, second] = [await upload(server, alice, png()), await upload(server, alice, png())];
    const foreign = await upload(server, bob, png());
    expect((await edit(first)).json.cover).toMatchObject({ id: first, width: 4, inUse: true });
    expect(codeOf(await alice.request(`DELETE /media/${first}`))).toEqual([409, "media_in_use"]);
    expect((await bob.request(`GET /media/${first}`)).json.url).toBe(`${server.url}/media/${first}`);
    for (const missing of [foreign, "med_00000000000000000000000000"])
      expect(codeOf(await edit(missing))).toEqual([404, "not_found"]);
    const text = await edit(await upload(server, alice, "text", { purpose: "file" }));
    expect([text.status, text.json.error.details[0].path]).toEqual([422, "/coverMediaId"]);
    expect((await edit(second)).json.cover.id).toBe(second);
    expect((await alice.request(`DELETE /media/${first}`)).status).toBe(204);
    const lists = await Promise.all(
      ["/collections?mine=true", "/search?q=covered"].map((path) => alice.request(`GET ${path}`)),
    );
    expect(lists.map(({ text }) => text.includes(`${server.url}/media/${second}`))).toEqual([true, true]);
    await alice.request(`DELETE /collections/${id}`);
    expect((await alice.request(`DELETE /media/${second}`)).status).toBe(204);
  });

  test("shows the cover of a private collection to its owner alone, by an address that expires", async () => {
    const { id } = await create(alice, "Secret", { visibility: "private" });
    const coverMediaId = await upload(server, alice, png());
    const { json } = await alice.request(`PATCH /collections/${id}`, { body: { coverMediaId } });
    expect(json.cover.url).toMatch(/\?expires=\d+&signature=[0-9a-f]{64}$/);
    expect(codeOf(await bob.request(`GET /media/${coverMediaId}`))).toEqual([404, "not_found"]);
  });

  test("that is private is seen by an admin while a report on it is open", async () => {
    const { id } = await create(alice, "Reported");
    await expectDone(bob, "POST /reports", { target: { type: "collection", id }, reason: "spam" });
    await alice.request(`PATCH /collections/${id}`, { body: { visibility: "private" } });
    const seen = async () => (await admin.request(`GET /collections/${id}`)).status;
    expect(await seen()).toBe(200);
    await server.sql`update collections set open_reports = 0 where id = ${id}`;
    expect(await seen()).toBe(404);
  });

  test("is missing once it is deleted, and leaves what it contains", async () => {
    await publish(alice, "left");
    const { id } = await create(alice, "Gone");
    await put(alice, id, "alice/left");
    expect((await alice.request(`DELETE /collections/${id}`)).status).toBe(204);
    expect(codeOf(await alice.request(`GET /collections/${id}`))).toEqual([404, "not_found"]);
    expect(await titlesOf(alice, "mine=true")).not.toContain("Gone");
    const membership = "GET /collections/membership?target=prompt:alice/left";
    expect((await alice.request(membership)).text).not.toContain("Gone");
    expect((await alice.request("GET /prompts/alice/left")).status).toBe(200);
    // So it is for who found it before.
    const looking = { collection: { id, ownerId: alice.id }, caller: null, ...siteOf(server.context) };
    expect(await selectCollection(server.sql, looking, { after: null, take: 2 })).toBeNull();
  });

  test("is recorded when it changes who sees it, when an admin changes it, and when it is deleted", async () => {
    const { id } = await create(alice, "Watched");
    await alice.request(`PATCH /collections/${id}`, { body: { title: "Seen" } });
    await alice.request(`PATCH /collections/${id}`, { body: { visibility: "unlisted" } });
    await admin.request(`PATCH /collections/${id}`, { body: { visibility: "private", title: "Seen" } });
    expect(codeOf(await admin.request(`GET /collections/${id}`))).toEqual([404, "not_found"]);
    await alice.request(`DELETE /collections/${id}`);
    expect(await auditedOf(id)).toEqual([
      ["collection.visibility", { from: { visibility: "public" }, to: { visibility: "unlisted" } }],
      ["collection.moderate", { from: { visibility: "unlisted" }, to: { visibility: "private" } }],
      ["collection.delete", {}],
    ]);
  });

  test("is one of two hundred, also if two are made at once", async () => {
    const carol = await server.join("carol");
    await server.sql`
      insert into collections (owner_id, title, visibility, document)
      select ${carol.id}, 'One of many', 'private', '' from generate_series(2, ${limits.collectionsPerAccount})`;
    const make = () => carol.request("POST /collections", { body: { title: "The last" } });
    const answers = await server.atOnce(
      (sql) => sql`select from users where id = ${carol.id} for update`,
      [make, make],
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(codeOf(await make())).toEqual([409, "quota_exceeded"]);
    const [{ id }] = (await carol.request("GET /collections?mine=true")).json.items;
    await carol.request(`DELETE /collections/${id}`);
    expect((await make()).status).toBe(201);
  });
});

describe("a list of collections", () => {
  let dora: Person;

  beforeAll(async () => {
    dora = await server.join("dora");
    for (const slug of ["one", "two", "three"]) await publish(dora, slug);
    const made: [title: string, fields: object, slugs: string[]][] = [
      ["Walrus care", { description: "Feeding and washing" }, ["one", "two", "three"]],
      ["Ice", { description: "Where the walrus sleeps" }, ["one"]],
      ["Hidden walrus", { visibility: "private" }, ["one"]],
      ["By address", { visibility: "unlisted" }, []],
      ["Sea", {}, ["two", "three"]],
    ];
    for (const [nth, [title, fields, slugs]] of made.entries()) {
      await server.setClock(`2032-01-0${nth + 1}T00:00:00Z`);
      const { id } = await create(dora, title, fields);
      for (const slug of slugs) await put(dora, id, `dora/${slug}`);
    }
    await server.setClock("2032-02-01T00:00:00Z");
    const [ice] = await itemsOf(dora, "GET /collections?mine=true&q=ice");
    await dora.request(`PATCH /collections/${ice.id}`, { body: { title: "Ice age" } });
  });

  test.for([
    ["", ["Ice age", "Sea", "Walrus care"]],
    ["sort=newest", ["Sea", "Ice age", "Walrus care"]],
    ["sort=size", ["Walrus care", "Sea", "Ice age"]],
    ["q=walrus", ["Ice age", "Walrus care"]],
    ["q=walrus+-ice", ["Walrus care"]],
    ["contains=prompt:dora/one", ["Ice age", "Walrus care"]],
    ["contains=prompt:dora/two&q=walrus", ["Walrus care"]],
    ["contains=prompt:dora/nothing", []],
  ] as const)("has the public ones, with %s", async ([query, expected]) => {
    for (const who of [server.nobody, bob, dora]) {
      expect(await titlesOf(who, `owner=dora&${query}`)).toEqual(expected);
      const all = await titlesOf(who, query);
      expect(all.filter((title) => (expected as readonly string[]).includes(title))).toEqual(expected);
      expect(all).not.toEqual(expect.arrayContaining(["Hidden walrus"]));
      expect(all).not.toEqual(expect.arrayContaining(["By address"]));
    }
  });

  test.for([
    ["", ["Ice age", "Sea", "By address", "Hidden walrus", "Walrus care"]],
    ["sort=size", ["Walrus care", "Sea", "Hidden walrus", "Ice age", "By address"]],
    ["q=walrus", ["Ice age", "Hidden walrus", "Walrus care"]],
    ["contains=prompt:dora/one", ["Ice age", "Hidden walrus", "Walrus care"]],
    ["owner=dora&q=sea", ["Sea"]],
    ["owner=bob", []],
  ] as const)("has all of one's own, with mine=true&%s", async ([query, expected]) => {
    for (const limit of [1, 2, 100])
      expect(await titlesOf(dora, `mine=true&limit=${limit}&${query}`)).toEqual(expected);
  });

  test("needs a token for mine=true, and takes no owner=me", async () => {
    expect(codeOf(await server.anonymous("GET /collections?mine=true"))).toEqual([401, "unauthenticated"]);
    expect((await server.anonymous("GET /collections?mine=false")).status).toBe(200);
    expect(codeOf(await bob.request("GET /collections?owner=me"))).toEqual([422, "validation_failed"]);
  });

  test("is filtered by what is collected only in kinds that there are", async () => {
    for (const target of ["make:dora/one", "user:dora", "prompt:dora", "one"])
      expect(codeOf(await bob.request(`GET /collections?contains=${target}`))).toEqual([
        422,
        "validation_failed",
      ]);
  });

  test("says which of one's own contain a prompt, all in one answer", async () => {
    const { json, text } = await dora.request("GET /collections/membership?target=prompt:dora/one");
    expect(json.items.map(({ title, contains, itemId }: any) => [title, contains, itemId !== null])).toEqual([
      ["Ice age", true, true],
      ["Sea", false, false],
      ["By address", false, false],
      ["Hidden walrus", true, true],
      ["Walrus care", true, true],
    ]);
    expect([json.nextCursor, text.includes("undefined")]).toEqual([null, false]);
    await server.sql`update collections set updated_at = clock() where owner_id = ${dora.id}`;
    const again = await dora.request("GET /collections/membership?target=prompt:dora/one");
    expect(again.json.items.map(({ title }: { title: string }) => title)).toEqual([
      "Sea",
      "By address",
      "Hidden walrus",
      "Ice age",
      "Walrus care",
    ]);
    expect((await bob.request("GET /collections/membership?target=prompt:dora/one")).json.items).toEqual([]);
  });
});
