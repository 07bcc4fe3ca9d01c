import { limits } from "@promptreg/core";
import { followTargets } from "./count.sql.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";
import { codeOf, itemsOf } from "../../../test/requests.ts";
import { expectDone } from "../../../test/scenes.ts";
import { liftLimits } from "../../../test/stage.ts";

let server: TestServer;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  server = await startTestServer();
  await liftLimits(server);
  alice = await server.join("alice");
  bob = await server.join("bob");
  for (const slug of ["one", "two", "three", "four"]) await publish(alice, slug);
});
afterAll(() => server.stop());

/** A collection of alice's with these prompts of hers. */
async function collect(...slugs: string[]): Promise<string> {
  const { id } = await expectDone(alice, "POST /collections", { title: "Some" });
  for (const slug of slugs) await expectDone(alice, `POST /collections/${id}/items`, item(slug));
  return id;
}
const item = (slug: string, fields: object = {}) => ({ type: "prompt", id: `alice/${slug}`, ...fields });
const put = (id: string, slug: string, fields: object = {}) =>
  alice.request(`POST /collections/${id}/items`, { body: item(slug, fields) });
const reorder = (id: string, itemIds: string[]) =>
  alice.request(`PUT /collections/${id}/items`, { body: { itemIds } });
const read = (id: string) => itemsOf(alice, `GET /collections/${id}`);
const slugsOf = async (id: string) => (await read(id)).map(({ target }) => target.slug);
const idsOf = async (id: string) => (await read(id)).map(({ id: itemId }) => itemId);
/** Holds a collection, so that writes of its items wait. */
const holding = (id: string) => (sql: any) => sql`select from collections where id = ${id} for update`;

describe("an item", () => {
  test("comes after the others, and is there once", async () => {
    const id = await collect("one");
    const first = await put(id, "two", { note: "Then this" });
    expect([first.status, first.json]).toMatchObject([
      201,
      { type: "prompt", note: "Then this", position: 2, target: { ref: "alice/two" } },
    ]);
    const again = await put(id, "two", { note: "Another" });
    expect([again.status, again.json]).toEqual([200, first.json]);
    expect(await slugsOf(id)).toEqual(["one", "two"]);
  });

  test("is of a kind that there is", async () => {
    const id = await collect();
    const add = async (body: object) =>
      codeOf(await alice.request(`POST /collections/${id}/items`, { body }));
    for (const body of [{ type: "user", id: "alice" }, { type: "prompt", id: "One" }, { id: "alice/one" }])
      expect(await add(body)).toEqual([422, "validation_failed"]);
    for (const body of [
      { type: "make", id: "alice/one" },
      { type: "prompt", id: "one" },
    ])
      expect(await add(body)).toEqual([404, "not_found"]);
  });

  test("can be a make, which others are shown while it is public", async () => {
    const id = await collect();
    const make = { title: "A bot", slug: "collected", body: "It greets", publish: true };
    expect((await bob.request("POST /makes", { body: make })).status).toBe(201);
    const item = { type: "make", id: "collected" };
    const { status, json } = await alice.request(`POST /collections/${id}/items`, { body: item });
    expect([status, json.type, json.target.slug]).toEqual([201, "make", "collected"]);
    const shown = async (who: Pick<Person, "request">, query = "") =>
      (await who.request(`GET /collections/${id}?${query}`)).json.items.map(({ target }: any) => target.slug);
    expect([await shown(server.nobody), await shown(server.nobody, "type=prompt")]).toEqual([
      ["collected"],
      [],
    ]);
    const contains = "contains=make:collected";
    expect((await server.anonymous(`GET /collections?${contains}`)).json.items).toMatchObject([{ id }]);
    await bob.request("PATCH /makes/collected", { body: { visibility: "unlisted" } });
    expect([await shown(server.nobody), await shown(bob), await shown(alice)]).toEqual([
      [],
      ["collected"],
      ["collected"],
    ]);
    await followTargets(server.sql);
    expect(
      (await alice.request("GET /collections?mine=true")).json.items.find((one: any) => one.id === id)
        .itemCount,
    ).toBe(0);
    await bob.request("PATCH /makes/collected", { body: { status: "draft" } });
    expect([await shown(bob), await shown(alice)]).toEqual([["collected"], []]);
    await bob.request("DELETE /makes/collected");
    await followTargets(server.sql);
    expect((await server.sql`select from collection_items where collection_id = ${id}`).count).toBe(0);
  });

  test("can be what one sees, and nothing else", async () => {
    const id = await collect();
    await publish(bob, "closed", { visibility: "private" });
    await publish(bob, "by-address", { visibility: "unlisted" });
    await publish(bob, "ended");
    await bob.request("DELETE /prompts/bob/ended");
    const codes = async (ref: string) =>
      codeOf(await alice.request(`POST /collections/${id}/items`, { body: { type: "prompt", id: ref } }));
    expect(await codes("bob/closed")).toEqual(await codes("bob/nothing"));
    expect(await codes("bob/closed")).toEqual([404, "not_found"]);
    expect(await codes("bob/ended")).toEqual([410, "gone"]);
    expect(await codes("bob/by-address")).toEqual([201, undefined]);
    expect((await put(id, "one")).status).toBe(201);
    expect(codeOf(await bob.request(`POST /collections/${id}/items`, { body: item("two") }))).toEqual([
      403,
      "forbidden",
    ]);
  });

  test("keeps its place when its prompt moves, and is found by the former address too", async () => {
    await publish(alice, "old-name");
    const id = await collect("one", "old-name", "two");
    await alice.request("PATCH /prompts/alice/old-name", { body: { slug: "new-name" } });
    expect(await slugsOf(id)).toEqual(["one", "new-name", "two"]);
    expect((await put(id, "old-name")).status).toBe(200);
    const { status } = await alice.request(`DELETE /collections/${id}/items?target=prompt:alice/old-name`);
    expect([status, await slugsOf(id)]).toEqual([204, ["one", "two"]]);
  });

  test("has a note, until it is taken away", async () => {
    const id = await collect("one");
    const [itemId] = await idsOf(id);
    const note = async (body: object) =>
      (await alice.request(`PATCH /collections/${id}/items/${itemId}`, { body })).json.note;
    expect(await note({ note: "Begin here\n" })).toBe("Begin here\n");
    expect((await read(id))[0].note).toBe("Begin here\n");
    expect(await note({ note: null })).toBeNull();
  });

  test("is removed by its id, once, and by what it is, as often as one likes", async () => {
    const id = await collect("one", "two");
    const [itemId] = await idsOf(id);
    const byId = () => alice.request(`DELETE /collections/${id}/items/${itemId}`);
    expect([(await byId()).status, codeOf(await byId())]).toEqual([204, [404, "not_found"]]);
    for (const _ of [1, 2]) {
      const { status } = await alice.request(`DELETE /collections/${id}/items?target=prompt:alice/two`);
      expect(status).toBe(204);
    }
    expect((await alice.request(`DELETE /collections/${id}/items?target=prompt:no/body`)).status).toBe(204);
    expect(await slugsOf(id)).toEqual([]);
  });

  test("is changed only where it is", async () => {
    const [id, other] = [await collect("one"), await collect("one")];
    const [itemId] = await idsOf(other);
    const path = `/collections/${id}/items/${itemId}`;
    expect(codeOf(await alice.request(`PATCH ${path}`, { body: { note: "x" } }))).toEqual([404, "not_found"]);
    expect(codeOf(await alice.request(`DELETE ${path}`))).toEqual([404, "not_found"]);
    expect(await slugsOf(other)).toEqual(["one"]);
  });
});

describe("the order of items", () => {
  test("is what a list of exactly these says", async () => {
    const id = await collect("one", "two", "three");
    const [one, two, three] = (await idsOf(id)) as [string, string, string];
    for (const wrong of [
      [one, two],
      [one, two, two],
      [one, two, three, three],
      [one, two, "itm_00000000000000000000000000"],
      [],
    ])
      expect(codeOf(await reorder(id, wrong))).toEqual([422, "order_mismatch"]);
    const { json } = await reorder(id, [three, one, two]);
    expect(json.items.map(({ target, position }: any) => [target.slug, position])).toEqual([
      ["three", 1],
      ["one", 2],
      ["two", 3],
    ]);
    await put(id, "four");
    expect(await slugsOf(id)).toEqual(["three", "one", "two", "four"]);
  });

  test.for([1, 2, 3, 100])("is the same in pages of %i, with positions that go on", async (limit) => {
    const id = await collect("four", "two", "one", "three");
    const items = await itemsOf(alice, `GET /collections/${id}?limit=${limit}&type=prompt`);
    expect(items.map(({ target, position }) => [target.slug, position])).toEqual([
      ["four", 1],
      ["two", 2],
      ["one", 3],
      ["three", 4],
    ]);
  });

  test("goes on after a page whose last item was removed, or moved, meanwhile", async () => {
    const id = await collect("one", "two", "three", "four");
    const nextOf = async (limit: number) => {
      const first = await alice.request(`GET /collections/${id}?limit=${limit}`);
      return async () =>
        (
          await alice.request(`GET /collections/${id}?limit=2&cursor=${first.json.nextCursor}`)
        ).json.items.map(({ target }: any) => target.slug);
    };
    const next = await nextOf(3);
    await alice.request(`DELETE /collections/${id}/items?target=prompt:alice/three`);
    expect(await next()).toEqual(["four"]);
    await put(id, "three");
    expect(await next()).toEqual(["four", "three"]);
    // Of a page with one item nothing is before it: what stands at its position now was not shown.
    const second = await nextOf(1);
    const [one, two, ...others] = await idsOf(id);
    await reorder(id, [two!, one!, ...others]);
    await alice.request(`DELETE /collections/${id}/items?target=prompt:alice/one`);
    expect(await second()).toEqual(["two", "four"]);
  });
});

describe("at once,", () => {
  test("the same prompt is added once", async () => {
    const id = await collect();
    const answers = await server.atOnce(holding(id), [() => put(id, "one"), () => put(id, "one")]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 201]);
    expect(answers[0]?.json).toEqual(answers[1]?.json);
  });

  test("the 500th item is one of two", async () => {
    const id = await collect();
    await server.sql`
      with made as (
        insert into prompts (owner_id, slug, kind, title, visibility, rating, status)
        select ${bob.id}, 'many-' || n, 'text', 'x', 'private', 'general', 'published'
        from generate_series(2, ${limits.itemsPerCollection}::int) n returning id)
      insert into collection_items (collection_id, target_id, position)
      select ${id}, id, row_number() over () from made`;
    const answers = await server.atOnce(holding(id), [() => put(id, "one"), () => put(id, "two")]);
    expect(answers.map(codeOf).sort()).toEqual([
      [201, undefined],
      [409, "quota_exceeded"],
    ]);
    // What is there already is no one more.
    const [kept] = await slugsOf(id);
    expect((await put(id, kept)).status).toBe(200);
    // A prompt that was deleted takes no room, even before the worker took it out.
    await server.sql`update prompts set deleted_at = clock() where slug = 'many-2'`;
    expect((await put(id, "three")).status).toBe(201);
  });

  test("an order and one more item come one after the other", async () => {
    const id = await collect("one", "two");
    const itemIds = await idsOf(id);
    const [ordered, added] = await server.atOnce(holding(id), [
      () => reorder(id, itemIds.toReversed()),
      () => put(id, "three"),
    ]);
    expect(added?.status).toBe(201);
    const isFirst = ordered?.status === 200;
    expect(isFirst ? 200 : codeOf(ordered!)).toEqual(isFirst ? 200 : [422, "order_mismatch"]);
    expect(await slugsOf(id)).toEqual(isFirst ? ["two", "one", "three"] : ["one", "two", "three"]);
  });

  test("a removal and an order come one after the other", async () => {
    const id = await collect("one", "two", "three");
    const itemIds = await idsOf(id);
    const [removed, ordered] = await server.atOnce(holding(id), [
      () => alice.request(`DELETE /collections/${id}/items/${itemIds[1]}`),
      () => reorder(id, itemIds.toReversed()),
    ]);
    expect(removed?.status).toBe(204);
    expect([200, 422]).toContain(ordered?.status);
    expect(await slugsOf(id)).toEqual(ordered?.status === 200 ? ["three", "one"] : ["one", "three"]);
  });
});
