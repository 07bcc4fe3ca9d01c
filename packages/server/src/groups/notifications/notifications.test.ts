import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { newestEvent, tell, tellIn } from "../../../test/notified.ts";
import { publish } from "../../../test/prompts.ts";
import { itemsOf } from "../../../test/requests.ts";
import { notifyDisabled } from "./index.ts";

let server: TestServer;
let alice: Person;
let people = 0;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  alice = await server.join("alice");
});
afterAll(() => server.stop());

const newcomer = () => server.join(`person-${++people}`);
let prompts = 0;

/** A prompt of alice's at version 1. */
async function make(who = alice): Promise<string> {
  const slug = `prompt-${++prompts}`;
  await publish(who, slug, { title: slug, message: "First" });
  return `${who.handle}/${slug}`;
}
const move = (ref: string, name = "production", who = alice) =>
  who.request(`PUT /prompts/${ref}/labels/${name}`, { body: { versionNumber: 1, reason: "Why not" } });
const turn = (ref: string, visibility: string) =>
  alice.request(`PATCH /prompts/${ref}`, { body: { visibility } });

const listOf = (who: Person, query = "", limit = 100) =>
  itemsOf(who, `GET /notifications?limit=${limit}${query}`);
const titlesOf = async (who: Person, query = "", limit = 100) =>
  (await listOf(who, query, limit)).map(({ title }) => title);
const unreadOf = async (who: Person) => (await who.request("GET /notifications/count")).json.unread;
const mark = (who: Person, body: object) => who.request("POST /notifications/read", { body });

/** Inserts many notifications, a millisecond apart, about a prompt or nothing. */
async function fill(
  { id }: Person,
  count: number,
  { ref, hoursAgo = 0 }: { ref?: string; hoursAgo?: number } = {},
): Promise<void> {
  const slug = ref?.split("/")[1] ?? null;
  await server.sql`
    with notice as (
      insert into notices (type, title, body, url, target, created_at)
      select 'prompt.label.moved', 'One of many', 'Moved.', 'http://a.example', '{"type": "prompt", "id": "a/b"}',
        clock() - make_interval(hours => ${hoursAgo}) - (${count} - i) * interval '1 millisecond'
      from generate_series(1, ${count}) i returning *
    )
    insert into notifications (notice_id, user_id, id, type, prompt_id)
    select n.id, ${id}, first_id('ntf', n.created_at) || right(n.id, 16), n.type,
      (select id from prompts where slug = ${slug})
    from notice n`;
}

describe("the notification of an event", () => {
  test("says what happened, who did it and where", async () => {
    const ref = await make();
    const bob = await newcomer();
    await alice.request("PATCH /me", { body: { name: "Alice" } });
    await tell(server, bob);
    const [first] = await listOf(bob);
    expect(first).toEqual({
      id: expect.stringMatching(/^ntf_/),
      type: "prompt.version.created",
      title: `New version of ${ref}: 1`,
      body: "Committed by alice: First",
      url: `${server.url}/${ref}@1`,
      actor: { id: alice.id, handle: "alice", name: "Alice", avatarUrl: null, url: `${server.url}/alice` },
      target: { type: "version", id: `${ref}@1` },
      readAt: null,
      createdAt: expect.any(String),
    });
    const [event] =
      await server.sql`select iso(created_at) as at from events order by created_at desc limit 1`;
    expect(first.createdAt).toBe(event?.["at"]);
  });

  test("does not go to the actor", async () => {
    await make();
    const bob = await newcomer();
    const before = (await listOf(alice)).length;
    await tell(server, alice, bob);
    expect([(await listOf(alice)).length, (await listOf(bob)).length]).toEqual([before, 1]);
  });

  test("is written once, however many processes try it", async () => {
    await make();
    const [bob, carol] = [await newcomer(), await newcomer()];
    await tell(server, bob);
    await Promise.all([tell(server, bob, carol), tell(server, bob, carol), tell(server, bob, carol)]);
    expect([(await listOf(bob)).length, (await listOf(carol)).length]).toEqual([1, 1]);
  });

  test("is not written if its transaction is rolled back", async () => {
    await make();
    const bob = await newcomer();
    const attempt = server.sql.begin(async (sql) => {
      await tellIn(sql, server, bob);
      throw new Error("crash");
    });
    await expect(attempt).rejects.toThrow("crash");
    expect(await listOf(bob)).toEqual([]);
    await tell(server, bob);
    expect(await unreadOf(bob)).toBe(1);
  });

  test("stays when the event itself is deleted", async () => {
    await make();
    const bob = await newcomer();
    await tell(server, bob);
    const { eventId } = await newestEvent(server);
    await server.sql`delete from events where id = ${eventId}`;
    expect((await listOf(bob)).length).toBe(1);
  });

  test("can go to a thousand accounts at once", async () => {
    await make();
    const { eventId } = await newestEvent(server);
    const ids = Array.from({ length: 1000 }, (_, i) => ({ id: `usr_${String(i).padStart(26, "0")}` }));
    await tell(server, ...ids);
    const { count } = await server.sql`select from notifications where notice_id = ${eventId}`;
    expect(count).toBe(1000);
  });
});

test("the owner of a webhook gets a notification that it was disabled, which shows only the host of its URL", async () => {
  const bob = await newcomer();
  const url = "http://127.0.0.1:9/secret-path?token=secret";
  const { json } = await bob.request("POST /webhooks", { body: { url, description: "Deploys" } });
  await server.sql.begin((sql) => notifyDisabled(sql, server.context, { webhookId: json.id }));
  const [first, ...rest] = await listOf(bob);
  expect(rest).toEqual([]);
  expect(first).toMatchObject({
    type: "webhook.disabled",
    title: "Your webhook to 127.0.0.1:9 was disabled",
    url: `${server.url}/api/v1/webhooks/${json.id}`,
    actor: null,
    target: { type: "webhook", id: json.id },
  });
  expect(first.body).toMatch(/^Deploys: too many attempts in a row failed/);
  expect(JSON.stringify(first)).not.toContain("secret");
  // It can be disabled again.
  await server.sql.begin((sql) => notifyDisabled(sql, server.context, { webhookId: json.id }));
  expect((await listOf(bob)).length).toBe(2);
});

describe("the list", () => {
  let bob: Person;
  let refs: string[];

  beforeAll(async () => {
    bob = await newcomer();
    refs = [await make()];
    await tell(server, bob);
    for (const name of ["a", "b", "c"]) {
      await move(refs[0] as string, name);
      await tell(server, bob);
    }
    const [oldest] = (await listOf(bob)).slice(-1);
    await mark(bob, { ids: [oldest.id] });
  });

  const moved = ["c", "b", "a"].map((name) => expect.stringMatching(`^${name} of .* set to version 1$`));
  const created = expect.stringMatching(/^New version/);

  test.for([1, 2, 3, 4, 100])("is newest first, in pages of %i", async (limit) => {
    expect(await titlesOf(bob, "", limit)).toEqual([...moved, created]);
  });

  test.for([1, 100])("can be filtered by unread or read, in pages of %i", async (limit) => {
    expect(await titlesOf(bob, "&unread=true", limit)).toEqual(moved);
    expect(await titlesOf(bob, "&unread=false", limit)).toEqual([created]);
  });

  test.for([1, 100])("can be filtered by type, in pages of %i", async (limit) => {
    expect(await titlesOf(bob, "&type=prompt.label.moved", limit)).toEqual(moved);
    expect(await titlesOf(bob, "&type=prompt.version.created&unread=true", limit)).toEqual([]);
    expect(await titlesOf(bob, "&type=webhook.disabled", limit)).toEqual([]);
  });

  test.for(["unread=1", "unread=", "type=ping", "type=", "type=a&type=b", "read=true"])(
    "refuses %s",
    async (query) => {
      const { status, json } = await bob.request(`GET /notifications?${query}`);
      expect([status, json.error.code]).toEqual([422, "validation_failed"]);
    },
  );

  test("has only the account's own", async () => {
    expect(await listOf(await newcomer())).toEqual([]);
  });
});

test("a notification about a kind without a rule for visibility is hidden", async () => {
  const bob = await newcomer();
  await fill(bob, 1);
  expect(await unreadOf(bob)).toBe(1);
  await server.sql`update notifications set prompt_id = 'xyz_1' where user_id = ${bob.id}`;
  expect([await listOf(bob), await unreadOf(bob)]).toEqual([[], 0]);
});

describe("a notification about a prompt", () => {
  test("is hidden while the prompt is private, and visible again after that", async () => {
    const [ref, other, bob] = [await make(), await make(), await newcomer()];
    await move(other);
    await tell(server, bob);
    await move(ref);
    await tell(server, bob);
    const [{ id }] = (await listOf(bob)) as [{ id: string }];
    await turn(ref, "private");
    expect([(await listOf(bob)).length, await unreadOf(bob)]).toEqual([1, 1]);
    expect((await listOf(bob, "&unread=true&type=prompt.label.moved")).length).toBe(1);
    expect((await mark(bob, { ids: [id] })).json).toEqual({ updated: 0, unread: 1 });
    expect((await mark(bob, { all: true })).json).toEqual({ updated: 1, unread: 0 });
    for (const visibility of ["unlisted", "public"]) {
      await turn(ref, visibility);
      expect((await listOf(bob)).length).toBe(2);
    }
  });

  test("stays visible to the prompt's owner", async () => {
    const [ref, root] = [await make(), await server.join("root", { role: "admin" })];
    await server.sql`update events set body = convert_to(replace(convert_from(body, 'UTF8'), ${alice.id}, ${root.id}), 'UTF8')`;
    await tell(server, alice);
    await turn(ref, "private");
    expect((await titlesOf(alice))[0]).toBe(`New version of ${ref}: 1`);
  });

  test("is hidden after the prompt is deleted, except the one that tells its owner so", async () => {
    const [ref, bob, root] = [await make(), await newcomer(), await server.join("root", { role: "admin" })];
    const before = await listOf(alice);
    await move(ref);
    // As if the admin had moved it: actors get no notification of their own acts.
    await server.sql`update events set body = convert_to(replace(convert_from(body, 'UTF8'), ${alice.id}, ${root.id}), 'UTF8')`;
    await tell(server, alice, bob);
    expect([(await listOf(alice)).length, (await listOf(bob)).length]).toEqual([before.length + 1, 1]);
    expect((await root.request(`DELETE /prompts/${ref}`)).status).toBe(204);
    await tell(server, alice, bob);
    expect([await listOf(bob), await unreadOf(bob)]).toEqual([[], 0]);
    const after = await listOf(alice);
    expect(after.slice(1)).toEqual(before);
    expect(await unreadOf(alice)).toBe(after.length);
    expect(after[0]).toMatchObject({
      type: "prompt.deleted",
      title: `${ref} was deleted`,
      body: "Deleted by root.",
      actor: { handle: "root" },
    });
  });

  test("is found after thousands of hidden ones", { tags: "long" }, async () => {
    const [ref, seen, bob] = [await make(), await make(), await newcomer()];
    await fill(bob, 1, { ref: seen, hoursAgo: 1 });
    await fill(bob, 3500, { ref });
    await turn(ref, "private");
    const first = await bob.request("GET /notifications");
    expect([first.json.items, first.json.nextCursor]).toEqual([[], expect.any(String)]);
    expect((await titlesOf(bob)).length).toBe(1);
    expect((await titlesOf(bob, "&unread=true", 1)).length).toBe(1);
    expect(await unreadOf(bob)).toBe(0);
    // The last that is read for a page can be a visible one.
    const eve = await newcomer();
    for (const hoursAgo of [2, 1]) await fill(eve, 1, { ref: seen, hoursAgo });
    await fill(eve, 999, { ref });
    expect((await titlesOf(eve)).length).toBe(2);
    await turn(ref, "public");
    expect((await titlesOf(bob)).length).toBe(3501);
    expect(await unreadOf(bob)).toBe(1000);
  });
});

describe("the count", () => {
  test("is 0 without a token, or with one that cannot read", async () => {
    const ref = await make();
    const bob = await newcomer();
    await move(ref);
    await tell(server, bob);
    const writer = await server.join(bob.handle, { scopes: ["write"] });
    const nobody = { request: server.anonymous };
    for (const who of [nobody, writer]) {
      const { status, json, headers } = await who.request("GET /notifications/count");
      expect([status, json, headers.get("etag")]).toEqual([200, { unread: 0 }, null]);
    }
    expect(await unreadOf(bob)).toBe(1);
  });
});

describe("marking", () => {
  let bob: Person;
  let ids: string[];

  beforeAll(async () => {
    const ref = await make();
    bob = await newcomer();
    for (const name of ["a", "b", "c", "d"]) {
      await move(ref, name);
      await tell(server, bob);
    }
    ids = (await listOf(bob)).map(({ id }) => id).reverse();
  });

  const readIds = async () => (await listOf(bob, "&unread=false")).map(({ id }) => id).sort();

  test("makes some read, and unread again; repeating it changes nothing", async () => {
    const some = ids.slice(0, 2);
    expect((await mark(bob, { ids: some })).json).toEqual({ updated: 2, unread: 2 });
    expect((await mark(bob, { ids: some, read: true })).json).toEqual({ updated: 0, unread: 2 });
    expect(await readIds()).toEqual([...some].sort());
    const [read] = await listOf(bob, "&unread=false");
    expect(read.readAt).toMatch(/^\d{4}-.*Z$/);
    expect((await mark(bob, { ids: some, read: false })).json).toEqual({ updated: 2, unread: 4 });
    expect((await listOf(bob))[3].readAt).toBeNull();
  });

  test("makes all read, or those created before a time", async () => {
    const items = (await listOf(bob)).reverse();
    const before = items[2].createdAt;
    expect((await mark(bob, { all: true, before })).json).toEqual({ updated: 2, unread: 2 });
    expect(await readIds()).toEqual(ids.slice(0, 2).sort());
    expect((await mark(bob, { all: true })).json).toEqual({ updated: 2, unread: 0 });
    expect((await mark(bob, { all: true, read: false })).json).toEqual({ updated: 4, unread: 4 });
  });

  test("ignores ids of other accounts, and unknown ids", async () => {
    const mallory = await newcomer();
    expect((await mark(mallory, { ids })).json).toEqual({ updated: 0, unread: 0 });
    expect((await mark(mallory, { all: true })).json).toEqual({ updated: 0, unread: 0 });
    expect((await mark(bob, { ids: ["ntf_00000000000000000000000000"] })).json).toEqual({
      updated: 0,
      unread: 4,
    });
  });

  test("works for any number, also twice at once", { tags: "long" }, async () => {
    const eve = await newcomer();
    await fill(eve, 12_000);
    const answers = await Promise.all([mark(eve, { all: true }), mark(eve, { all: true })]);
    expect(answers.map(({ status, json }) => [status, json.unread])).toEqual([
      [200, 0],
      [200, 0],
    ]);
    expect(answers[0].json.updated + answers[1].json.updated).toBe(12_000);
    expect((await mark(eve, { all: true, read: false })).json).toEqual({ updated: 12_000, unread: 1000 });
  });

  test.for<object>([
    {},
    { ids: [] },
    { ids: ["ntf_1"] },
    { ids: Array.from({ length: 101 }, () => "ntf_00000000000000000000000000") },
    { all: false },
    { ids: ["ntf_00000000000000000000000000"], all: true },
    { ids: ["ntf_00000000000000000000000000"], before: "2026-01-01T00:00:00Z" },
    { before: "2026-01-01T00:00:00Z" },
    { all: true, before: "yesterday" },
    { all: true, read: null },
  ])("refuses %j", async (body) => {
    const { status, json } = await mark(bob, body);
    expect([status, json.error.code]).toEqual([422, "validation_failed"]);
  });
});
