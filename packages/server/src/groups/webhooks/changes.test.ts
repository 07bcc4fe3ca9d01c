import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";
import { itemsOf } from "../../../test/requests.ts";
import { purgeWebhook } from "./purge.sql.ts";

// No worker runs here: what is written stays as it is.
let server: TestServer;
let alice: Person;
let bob: Person;
let id: string;

const url = "https://93.184.215.14/hook";

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  bob = await server.join("bob");
});
beforeEach(async () => {
  await server.sql`update webhooks set deleted_at = clock()`;
  id = (await alice.request("POST /webhooks", { body: { url, description: "First" } })).json.id;
});
afterAll(() => server.stop());

const get = (who = alice, headers = {}) => who.request(`GET /webhooks/${id}`, { headers });
const patch = (body: object, headers = {}) => alice.request(`PATCH /webhooks/${id}`, { body, headers });
const log = async (query = "") => (await alice.request(`GET /webhooks/${id}/deliveries${query}`)).json.items;
const watch = (who: Person, promptId: string) => server.sql`
  insert into watches (prompt_id, user_id, level) values (${promptId}, ${who.id}, 'all')`;
/** Writes deliveries that wait, as events would. */
const fill = (count: number) => server.sql`
  insert into deliveries (day, event_day, event_id, event, webhook_id, epoch, next_attempt_at)
  select clock()::date, clock()::date, new_id('evt'), 'prompt.label.moved', ${id}, epoch, clock()
  from webhooks, generate_series(1, ${count}) where id = ${id}`;
const audited = (action: string) =>
  server.sql`select actor_id as actor, data from audit_log where action = ${action} and target = ${id}`;

describe("a webhook", () => {
  test("is shown to its account without its secret, and to nobody else, not even admins", async () => {
    const { status, json } = await get();
    expect([status, json.id, json.secret]).toEqual([200, id, undefined]);
    const admin = await server.join("root", { role: "admin" });
    for (const who of [bob, admin]) expect((await get(who)).json.error.code).toBe("not_found");
  });

  test("is listed with the account's others, newest first, page by page", async () => {
    const ids = [id];
    for (let i = 0; i < 4; i++) {
      ids.unshift((await alice.request("POST /webhooks", { body: { url } })).json.id);
    }
    await bob.request("POST /webhooks", { body: { url } });
    const listed = (await itemsOf(alice, "GET /webhooks?limit=2")).map((item) => item.id);
    expect(listed).toEqual([...ids].sort().reverse());
    expect((await alice.request("GET /webhooks")).json.items.at(-1)).toEqual((await get()).json);
  });

  test("has a tag that follows its revision and whatever else it shows", async () => {
    const etag = (await get()).headers.get("etag") ?? "";
    expect(etag).toMatch(/^W\/"1\./);
    expect((await get(alice, { "if-none-match": etag })).status).toBe(304);
    await server.sql`update webhooks set consecutive_failures = 3, last_delivery_at = clock() where id = ${id}`;
    const counted = await get(alice, { "if-none-match": etag });
    expect([counted.status, counted.json.consecutiveFailures]).toEqual([200, 3]);
    // A delivery in between must not fail an edit, another edit must.
    expect((await patch({ description: "Second" }, { "if-match": etag })).status).toBe(200);
    expect((await patch({ description: "Third" }, { "if-match": etag })).json.error.code).toBe(
      "precondition_failed",
    );
  });
});

describe("updating a webhook", () => {
  test("changes what is named and leaves the rest", async () => {
    const before = (await get()).json;
    const changed = await patch({ events: ["prompt.label.moved"], url: "https://93.184.215.14/other" });
    expect(changed.status).toBe(200);
    const { updatedAt: _, ...rest } = before;
    const expected = { ...rest, events: ["prompt.label.moved"], url: "https://93.184.215.14/other" };
    expect(changed.json).toMatchObject(expected);
    expect((await get()).json).toEqual(changed.json);
    expect((await get()).headers.get("etag")).toBe(changed.headers.get("etag"));
    expect((await patch({ events: null, description: null })).json).toMatchObject({
      events: null,
      description: null,
    });
  });

  test("with what holds already changes nothing", async () => {
    await publish(alice, "held");
    const body = {
      url,
      events: ["prompt.published", "prompt.published"],
      prompts: ["alice/held", "alice/held"],
      description: "Same",
      active: true,
    };
    await patch(body);
    const before = await get();
    expect(before.json).toMatchObject({ events: ["prompt.published"], prompts: ["alice/held"] });
    for (const same of [body, {}, { rotateSecret: false }]) await patch(same);
    const after = await get();
    expect(after.json).toEqual(before.json);
    expect(after.headers.get("etag")).toBe(before.headers.get("etag"));
  });

  test.for<[string, object, string]>([
    ["no event at all", { events: [] }, "validation_failed"],
    ["ping among the events", { events: ["ping"] }, "validation_failed"],
    ["no prompt at all", { prompts: [] }, "validation_failed"],
    ["a prompt of a stranger", { prompts: ["bob/secret"] }, "validation_failed"],
    ["no address", { url: null }, "validation_failed"],
    ["an address that is not public", { url: "ftp://127.0.0.1/" }, "webhook_url_refused"],
  ])("with %s is refused, and nothing is changed", async ([, wrong, code]) => {
    const before = (await get()).json;
    const answer = await patch({ description: "Changed", rotateSecret: true, ...wrong });
    expect([answer.status, answer.json.error.code]).toEqual([422, code]);
    expect((await get()).json).toEqual(before);
  });

  test("leaves a trace with the origin of the URL, and none if nothing changed", async () => {
    const traces = async () => (await audited("webhook.update")).map(({ data }) => data);
    const before = (await traces()).length;
    await patch({ description: "Traced" });
    await patch({ description: "Traced" });
    expect((await traces()).slice(before)).toEqual([{ url: new URL(url).origin, isActive: true }]);
    expect((await audited("webhook.create")).map(({ data }) => data)).toEqual([{ url: new URL(url).origin }]);
  });

  test("replaces the secret when asked to, shows it once, and leaves a trace", async () => {
    const before = (await get()).json;
    expect((await patch({ rotateSecret: false })).json).toEqual(before);
    expect((await audited("webhook.rotate")).count).toBe(0);
    const { json } = await patch({ rotateSecret: true });
    expect(json.secret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
    expect(json.secretHint).toBe(json.secret.slice(-4));
    expect((await get()).json).toMatchObject({ secretHint: json.secretHint });
    expect((await get()).json).not.toHaveProperty("secret");
    const [row] = await server.sql`select secret_encrypted as sealed from webhooks where id = ${id}`;
    expect(server.context.secrets.decrypt(row?.["sealed"])).toBe(json.secret);
    expect(await audited("webhook.rotate")).toEqual([{ actor: alice.id, data: {} }]);
  });

  test("to inactive cancels what waits, at once and for good, but not a test, nor one that is sent again", async () => {
    await fill(3);
    const { json: ping } = await alice.request(`POST /webhooks/${id}/test`);
    const again = await alice.request(`POST /webhooks/${id}/deliveries/${ping.id}/redeliver`);
    await alice.request(`POST /webhooks/${id}/test`);
    const { json } = await patch({ active: false });
    expect(json).toMatchObject({ active: false, status: "disabled", disabledReason: "owner" });
    for (const active of [false, true]) {
      await patch({ active });
      const states = (await log()).map((item: { event: string; status: string }) => [
        item.event,
        item.status,
      ]);
      expect(states).toHaveLength(6);
      expect(states.filter(([event]: string[]) => event === "ping").sort()).toEqual([
        ["ping", "cancelled"],
        ["ping", "pending"],
        ["ping", "pending"],
      ]);
      expect((await log()).find((item: { id: string }) => item.id === again.json.id).status).toBe("pending");
      expect(await log("?status=cancelled&event=prompt.label.moved")).toHaveLength(3);
    }
    expect((await log("?status=cancelled"))[0]).toMatchObject({
      nextAttemptAt: null,
      completedAt: expect.any(String),
    });
  });

  test("to active clears the failures and their reason; to inactive keeps a reason there is", async () => {
    await server.sql`
      update webhooks set disabled_reason = 'failures', consecutive_failures = 15, epoch = 1 where id = ${id}`;
    expect((await patch({ active: false })).json).toMatchObject({
      disabledReason: "failures",
      consecutiveFailures: 15,
    });
    expect((await patch({ active: true })).json).toMatchObject({
      status: "active",
      disabledReason: null,
      consecutiveFailures: 0,
    });
    await server.sql`update webhooks set consecutive_failures = 14 where id = ${id}`;
    expect((await patch({ active: true })).json.consecutiveFailures).toBe(0);
  });
});

describe("the prompts that a webhook is bound to", () => {
  test("may be named by a former address, and are shown by their present one", async () => {
    const { id: renamed } = await publish(alice, "before");
    const carol = await server.join("carol");
    const { id: theirs } = await publish(carol, "theirs");
    await watch(alice, theirs);
    await server.sql`update prompts set slug = 'afterwards' where id = ${renamed}`;
    await server.sql`insert into former_slugs (owner_id, slug, prompt_id) values (${alice.id}, 'before', ${renamed})`;
    await server.sql`update users set handle = 'caroline' where id = ${carol.id}`;
    await server.sql`insert into former_handles (handle, user_id) values ('carol', ${carol.id})`;
    const { status, json } = await patch({ prompts: ["alice/before", "alice/afterwards", "carol/theirs"] });
    expect([status, json.prompts]).toEqual([200, ["alice/afterwards", "caroline/theirs"]]);
    await server.sql`update prompts set slug = 'later' where id = ${theirs}`;
    expect((await get()).json.prompts).toEqual(["alice/afterwards", "caroline/later"]);
  });

  test("are not shown while they cannot be seen, for their new name is nobody's business", async () => {
    const { id: hidden } = await publish(bob, "open");
    await watch(alice, hidden);
    await patch({ prompts: ["bob/open"] });
    await server.sql`update prompts set visibility = 'private', slug = 'codename' where id = ${hidden}`;
    const answer = await get();
    expect(answer.json.prompts).toEqual([]);
    expect(answer.text).not.toContain("codename");
    expect((await alice.request("GET /webhooks")).text).not.toContain("codename");
    const refused = await patch({ prompts: ["bob/codename"] });
    const unknown = await patch({ prompts: ["bob/nothing"] });
    expect(refused.text.replaceAll("codename", "nothing").replace(/"requestId.*/, "")).toBe(
      unknown.text.replace(/"requestId.*/, ""),
    );
    await server.sql`update prompts set visibility = 'public' where id = ${hidden}`;
    expect((await get()).json.prompts).toEqual(["bob/codename"]);
  });

  test("are no filter any more when they are null", async () => {
    await publish(alice, "bound");
    expect((await patch({ prompts: ["alice/bound"] })).json.prompts).toEqual(["alice/bound"]);
    expect((await patch({ prompts: null })).json.prompts).toBeNull();
  });
});

describe("deleting a webhook", () => {
  test("takes it and its log away at once", async () => {
    await fill(2);
    const [delivery] = await log();
    expect((await alice.request(`DELETE /webhooks/${id}`)).status).toBe(204);
    for (const route of [
      `GET /webhooks/${id}`,
      `DELETE /webhooks/${id}`,
      `POST /webhooks/${id}/test`,
      `GET /webhooks/${id}/deliveries`,
      `GET /webhooks/${id}/deliveries/${delivery.id}`,
      `POST /webhooks/${id}/deliveries/${delivery.id}/redeliver`,
    ]) {
      expect([route, (await alice.request(route)).status]).toEqual([route, 404]);
    }
    expect((await patch({ active: true })).status).toBe(404);
    expect((await alice.request("GET /webhooks")).json.items).toEqual([]);
    expect((await alice.request("GET /me")).json.quotas.webhooks.used).toBe(0);
    expect(await audited("webhook.delete")).toEqual([{ actor: alice.id, data: {} }]);
  });

  test("removes its log part by part, and then itself, and nothing of others", { tags: "long" }, async () => {
    await fill(10_001);
    const deleted = id;
    id = (await alice.request("POST /webhooks", { body: { url } })).json.id;
    await fill(1);
    await alice.request(`DELETE /webhooks/${deleted}`);
    const left = async () => {
      const [row] = await server.sql`
        select count(*)::int as log, (select count(*)::int from webhooks where id = ${deleted}) as itself
        from deliveries where webhook_id = ${deleted}`;
      return row;
    };
    const steps = [];
    for (let i = 0; i < 3; i++) {
      await purgeWebhook(server.sql, { webhookId: deleted });
      steps.push(await left());
    }
    expect(steps).toEqual([
      { log: 1, itself: 1 },
      { log: 0, itself: 1 },
      { log: 0, itself: 0 },
    ]);
    await purgeWebhook(server.sql, { webhookId: id });
    expect(await log()).toHaveLength(1);
    expect((await get()).status).toBe(200);
  });
});
