import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";
import { codeOf, itemsOf } from "../../../test/requests.ts";
import { expectDone } from "../../../test/scenes.ts";
import { liftLimits } from "../../../test/stage.ts";
import { countItems, followTargets } from "./count.sql.ts";

let server: TestServer;
let alice: Person;
let bob: Person;
let carol: Person;
let people: Record<string, Pick<Person, "request">>;

beforeAll(async () => {
  server = await startTestServer();
  await liftLimits(server);
  alice = await server.join("alice");
  bob = await server.join("bob");
  carol = await server.join("carol");
  await carol.request("PATCH /me", { body: { preferences: { showMature: true } } });
  people = { nobody: server.nobody, alice, bob, carol };
});
afterAll(() => server.stop());

let prompts = 0;
/** A prompt that may be hidden, by its address. */
async function make(who: Person, fields: object = {}): Promise<string> {
  const { ref } = await publish(who, `prompt-${++prompts}`, fields);
  return ref;
}
/** A collection of alice's with these prompts. */
async function collect(...refs: string[]): Promise<string> {
  const { id } = await expectDone(alice, "POST /collections", { title: "Mixed" });
  for (const ref of refs) await put(id, ref);
  return id;
}
const put = (id: string, ref: string) =>
  expectDone(alice, `POST /collections/${id}/items`, { type: "prompt", id: ref });
const patch = (who: Person, ref: string, body: object) => expectDone(who, `PATCH /prompts/${ref}`, body);
const refsFor = async (who: Pick<Person, "request">, id: string, query = "") =>
  (await itemsOf(who, `GET /collections/${id}?${query}`)).map(({ target, position }) => [
    target.ref,
    position,
  ]);
/** The number that lists show. */
const countOf = async (id: string) => {
  await followTargets(server.sql);
  return (await itemsOf(alice, "GET /collections?mine=true")).find((one) => one.id === id)?.itemCount;
};

describe("in a collection", () => {
  test("others are shown what is public, or their own, without a gap", async () => {
    const [first, last] = [await make(alice), await make(bob)];
    const unlisted = await make(bob, { visibility: "unlisted" });
    const own = await make(alice, { visibility: "private" });
    const draft = await make(alice, { publish: false });
    const turned = await make(bob);
    const mature = await make(alice, { rating: "mature" });
    const id = await collect(own, first, unlisted, draft, turned, mature, last);
    await patch(bob, turned, { visibility: "private" });
    const expected = {
      nobody: [first, last],
      alice: [own, first, unlisted, draft, mature, last],
      bob: [first, unlisted, turned, last],
      carol: [first, mature, last],
    };
    for (const [name, refs] of Object.entries(expected)) {
      const numbered = refs.map((ref, nth) => [ref, nth + 1]);
      for (const limit of [1, 2, 100])
        expect([name, await refsFor(people[name]!, id, `limit=${limit}`)]).toEqual([name, numbered]);
      const { json } = await people[name]!.request(`GET /collections/${id}`);
      expect([name, json.itemCount]).toEqual([name, 2]);
    }
    expect(await countOf(id)).toBe(2);
  });

  test("a cursor says nothing of where an item stands among hidden ones", async () => {
    const shown = [await make(bob), await make(bob)];
    const hidden = await make(alice, { visibility: "private" });
    const keyOf = async (id: string) => {
      const { json } = await server.anonymous(`GET /collections/${id}?limit=1`);
      const { k } = JSON.parse(Buffer.from(json.nextCursor, "base64url").toString());
      return [k[0] === json.items[0].id, ...k.slice(1)];
    };
    expect(await keyOf(await collect(hidden, ...shown))).toEqual([true, 1]);
    expect(await keyOf(await collect(...shown))).toEqual([true, 1]);
  });

  test("nothing that others are shown changes with what they are not shown", async () => {
    const [one, two] = [await make(bob), await make(bob)];
    const hidden = await make(alice, { visibility: "private" });
    const id = await collect(one, two);
    const look = async () => {
      const { headers, text } = await server.anonymous(`GET /collections/${id}`);
      const lists = await Promise.all(
        ["", "&sort=size", `&contains=prompt:${hidden}`].map((query) =>
          server.anonymous(`GET /collections?owner=alice${query}`),
        ),
      );
      return [headers.get("etag"), text, ...lists.flatMap((list) => [list.headers.get("etag"), list.text])];
    };
    await server.setClock("2033-01-01T00:00:00Z");
    const before = await look();
    const { id: itemId } = await put(id, hidden);
    expect(await look()).toEqual(before);
    await expectDone(alice, `PATCH /collections/${id}/items/${itemId}`, { note: "Secret" });
    expect(await look()).toEqual(before);
    const ids = (await itemsOf(alice, `GET /collections/${id}`)).map((item) => item.id);
    const itemIds = [ids[2], ids[0], ids[1]];
    await expectDone(alice, `PUT /collections/${id}/items`, { itemIds });
    expect(await look()).toEqual(before);
    expect((await refsFor(alice, id)).map(([ref]) => ref)).toEqual([hidden, one, two]);
    await expectDone(alice, `DELETE /collections/${id}/items/${itemId}`);
    await followTargets(server.sql);
    expect(await look()).toEqual(before);
    // What they are shown does.
    await expectDone(alice, `PUT /collections/${id}/items`, { itemIds: [ids[1], ids[0]] });
    const after = await look();
    expect(after.map((text, nth) => text !== before[nth])).toEqual([
      true,
      true,
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(JSON.parse(after[1]!).updatedAt).toBe("2033-01-01T00:00:00.000Z");
  });

  test("an order of what one sees leaves the rest in its place", async () => {
    const refs = [await make(alice), await make(bob), await make(alice)];
    const id = await collect(...refs);
    await patch(bob, refs[1]!, { visibility: "private" });
    const itemIds = (await itemsOf(alice, `GET /collections/${id}`)).map((item) => item.id);
    await expectDone(alice, `PUT /collections/${id}/items`, { itemIds: itemIds.toReversed() });
    await patch(bob, refs[1]!, { visibility: "public" });
    expect((await refsFor(alice, id)).map(([ref]) => ref)).toEqual([refs[2], refs[1], refs[0]]);
  });

  test("what its owner cannot see any more is as good as missing, and can be taken out by its address", async () => {
    const ref = await make(bob);
    const id = await collect(ref);
    const [{ id: itemId }] = await itemsOf(alice, `GET /collections/${id}`);
    await patch(bob, ref, { visibility: "private" });
    const path = `/collections/${id}/items/${itemId}`;
    for (const answer of [
      await alice.request(`PATCH ${path}`, { body: { note: "x" } }),
      await alice.request(`DELETE ${path}`),
      await alice.request(`GET /collections/membership?target=prompt:${ref}`),
    ])
      expect(codeOf(answer)).toEqual([404, "not_found"]);
    expect((await itemsOf(alice, `GET /collections?mine=true&contains=prompt:${ref}`)).length).toBe(0);
    await alice.request(`DELETE /collections/${id}/items?target=prompt:${ref}`);
    await patch(bob, ref, { visibility: "public" });
    expect(await refsFor(alice, id)).toEqual([]);
  });

  test("what is unlisted shows nobody by a filter that it is there, except the owner of either", async () => {
    const ref = await make(bob, { visibility: "unlisted" });
    const id = await collect(ref);
    const found = async (who: Pick<Person, "request">, query = "") =>
      (await itemsOf(who, `GET /collections?contains=prompt:${ref}${query}`)).map((one) => one.id);
    expect(await found(server.nobody)).toEqual([]);
    expect(await found(carol)).toEqual([]);
    expect(await found(bob)).toEqual([id]);
    expect(await found(alice, "&mine=true")).toEqual([id]);
  });
});

describe("the number of items", () => {
  test("follows prompts that others come to see, or see no more", async () => {
    const ref = await make(bob);
    const ids = [await collect(ref, await make(bob)), await collect(ref)];
    const counts = async () => [await countOf(ids[0]!), await countOf(ids[1]!)];
    expect(await counts()).toEqual([2, 1]);
    for (const [body, expected] of [
      [{ visibility: "private" }, [1, 0]],
      [{ visibility: "public" }, [2, 1]],
      [{ visibility: "unlisted" }, [1, 0]],
      [{ visibility: "public", rating: "mature" }, [1, 0]],
      [{ rating: "general" }, [2, 1]],
    ] as const) {
      await patch(bob, ref, body);
      expect([body, await counts()]).toEqual([body, expected]);
    }
    const draft = await make(alice, { publish: false, visibility: "public" });
    await put(ids[1]!, draft);
    expect(await counts()).toEqual([2, 1]);
    const files = [{ path: "PROMPT.md", content: "Hello" }];
    await expectDone(alice, `POST /prompts/${draft}/versions`, { files });
    expect(await counts()).toEqual([2, 2]);
  });

  test("is of what is there: a prompt that is deleted leaves every collection", async () => {
    const ref = await make(bob);
    const id = await collect(ref, await make(bob));
    await expectDone(bob, `DELETE /prompts/${ref}`);
    for (const who of [alice, bob])
      expect((await refsFor(who, id)).map(([, position]) => position)).toEqual([1]);
    expect(await countOf(id)).toBe(1);
    expect((await server.sql`select from collection_items where collection_id = ${id}`).count).toBe(1);
  });

  test.each([
    ["make", "slug"],
    ["post", "id"],
  ])(
    "is of what is there for the owner of a deleted %s too, which leaves every collection",
    async (type, name) => {
      await server.sql`update users set trusted_author = true where id = ${bob.id}`;
      const about = { title: "A bot", body: "It", ...(type === "make" && { publish: true }) };
      const made = await expectDone(bob, `POST /${type}s`, about);
      if (type === "post") await expectDone(bob, `POST /posts/${made.id}/submit`);
      const id = await collect();
      await expectDone(alice, `POST /collections/${id}/items`, { type, id: made[name] });
      const kept = async () => {
        await followTargets(server.sql);
        return (await server.sql`select from collection_items where collection_id = ${id}`).count;
      };
      if (type === "post") await expectDone(bob, `POST /posts/${made.id}/unpublish`);
      else await expectDone(bob, `PATCH /makes/${made.slug}`, { status: "draft" });
      expect([await countOf(id), await kept()]).toEqual([0, 1]);
      await expectDone(bob, `DELETE /${type}s/${made[name]}`);
      for (const who of [alice, bob]) expect(await itemsOf(who, `GET /collections/${id}`)).toEqual([]);
      expect(await kept()).toBe(0);
    },
  );

  test("is that after an edit of the collection, if a worker counts it meanwhile", async () => {
    const [ref, other] = [await make(bob), await make(bob)];
    const id = await collect(ref);
    await patch(bob, ref, { visibility: "private" });
    await server.atOnce(
      async (sql) => {
        await sql`select from collections where id = ${id} for update`;
        await sql`
          insert into collection_items (collection_id, target_id, position)
          select ${id}, id, 2 from prompts where slug = ${other.split("/")[1] ?? ""}`;
        await countItems(sql, [id], { isEdit: true });
      },
      [async () => followTargets(server.sql).then(() => alice.request(`GET /collections/${id}`))],
    );
    expect(await countOf(id)).toBe(1);
  });

  test("is right in each of very many collections, if two workers count them while one is edited", async () => {
    const ref = await make(bob);
    const other = await make(bob);
    const id = await collect(ref);
    await server.sql`
      with made as (
        insert into collections (owner_id, title, visibility, document, item_count)
        select ${carol.id}, 'One of many', 'public', '', 1 from generate_series(1, 120) returning id)
      insert into collection_items (collection_id, target_id, position)
      select made.id, i.target_id, 1 from made cross join collection_items i where i.collection_id = ${id}`;
    await patch(bob, ref, { visibility: "private" });
    await patch(bob, ref, { visibility: "public" });
    await patch(bob, ref, { visibility: "private" });
    await Promise.all([followTargets(server.sql), put(id, other), followTargets(server.sql)]);
    await followTargets(server.sql);
    const shown = async () => [
      ...(await server.sql`
        select item_count as "itemCount", count(*)::int as count from collections where owner_id = ${carol.id} group by 1`),
    ];
    expect(await shown()).toEqual([{ itemCount: 0, count: 120 }]);
    expect(await countOf(id)).toBe(1);
    const left = async () => (await server.sql`select from collection_changes`).count;
    expect(await left()).toBe(0);
    // Each leaves them all if it is deleted, and is counted for it.
    const deleted = await make(bob);
    await server.sql`
      update collection_items set target_id = (select id from prompts where slug = ${deleted.split("/")[1] ?? ""})
      where collection_id in (select id from collections where owner_id = ${carol.id})`;
    await patch(bob, deleted, { visibility: "private" });
    await patch(bob, deleted, { visibility: "public" });
    await followTargets(server.sql);
    expect(await shown()).toEqual([{ itemCount: 1, count: 120 }]);
    await expectDone(bob, `DELETE /prompts/${deleted}`);
    await followTargets(server.sql);
    expect(await shown()).toEqual([{ itemCount: 0, count: 120 }]);
    // What one worker is at, another one leaves to it, and goes on with the next.
    for (const visibility of ["public", "private"]) await patch(bob, ref, { visibility });
    await server.sql.begin(async (sql) => {
      await sql`select from collection_changes order by seq limit 1 for update`;
      await followTargets(server.sql);
      expect(await left()).toBe(1);
    });
  });
});

test("If-Match compares what everybody is shown of a collection, and an edit returns the ETag that a read has then", async () => {
  const id = await collect(await make(bob));
  const read = () => alice.request(`GET /collections/${id}`);
  const edit = (title: string, ifMatch: string) =>
    alice.request(`PATCH /collections/${id}`, { body: { title }, headers: { "if-match": ifMatch } });
  const before = (await read()).headers.get("etag") ?? "";
  const edited = await edit("Edited", before);
  expect([edited.status, edited.headers.get("etag")]).toEqual([200, (await read()).headers.get("etag")]);
  expect(edited.text).toBe((await read()).text);
  expect(codeOf(await edit("Again", before))).toEqual([412, "precondition_failed"]);
  const second = (await read()).headers.get("etag") ?? "";
  await put(id, await make(bob));
  expect(codeOf(await edit("Again", second))).toEqual([412, "precondition_failed"]);
  // A prompt in it is no edit of it: another page, and no conflict.
  const third = (await read()).headers.get("etag") ?? "";
  const { updatedAt } = (await read()).json;
  await patch(bob, (await itemsOf(alice, `GET /collections/${id}`))[0].target.ref, { visibility: "private" });
  await server.setClock("2033-01-02T00:00:00Z");
  expect(await countOf(id)).toBe(1);
  const turned = await read();
  expect([turned.headers.get("etag") === third, turned.json.updatedAt]).toEqual([false, updatedAt]);
  expect((await edit("Again", third)).status).toBe(200);
});

test("every edit of items is accepted under the ETag of its collection, and refused under an older one", async () => {
  const [one, two] = [await make(bob), await make(bob)];
  const id = await collect(one);
  const path = `/collections/${id}`;
  const itemIds = async () => (await itemsOf(alice, `GET ${path}`)).map((item) => item.id);
  const edits: [route: () => Promise<string>, body?: () => Promise<object>][] = [
    [async () => `POST ${path}/items`, async () => ({ type: "prompt", id: two })],
    [async () => `PUT ${path}/items`, async () => ({ itemIds: (await itemIds()).toReversed() })],
    [async () => `PATCH ${path}/items/${(await itemIds())[0]}`, async () => ({ note: "First" })],
    [async () => `DELETE ${path}/items/${(await itemIds())[0]}`],
    [async () => `DELETE ${path}/items?target=prompt:${one}`],
    [async () => `PATCH ${path}`, async () => ({ title: "The end" })],
    [async () => `DELETE ${path}`],
  ];
  let former = '"stale"';
  for (const [route, body] of edits) {
    const now = (await alice.request(`GET ${path}`)).headers.get("etag") ?? "";
    const edit = async (ifMatch: string) =>
      alice.request(await route(), { body: await body?.(), headers: { "if-match": ifMatch } });
    expect([await route(), codeOf(await edit(former))]).toEqual([
      await route(),
      [412, "precondition_failed"],
    ]);
    expect((await edit(now)).status).toBeLessThan(300);
    former = now;
  }
});
