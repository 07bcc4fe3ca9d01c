import { type EventName, events as catalogue } from "@promptreg/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";

let server: TestServer;
let alice: Person;
let bob: Person;

const url = "https://93.184.215.14/hook";

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  alice = await server.join("alice");
  bob = await server.join("bob");
});
afterAll(() => server.stop());

const hook = (body: object, who: Person = alice) => who.request("POST /webhooks", { body });

describe("creating a webhook", () => {
  test("shows its secret once, and says where it is", async () => {
    const answer = await hook({ url, description: "Tells the bot" });
    expect(answer.status).toBe(201);
    expect(answer.headers.get("location")).toBe(`${server.url}/api/v1/webhooks/${answer.json.id}`);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.json).toMatchObject({
      url,
      events: null,
      prompts: null,
      description: "Tells the bot",
      active: true,
      status: "active",
      disabledReason: null,
      consecutiveFailures: 0,
      lastDeliveryAt: null,
    });
    expect(answer.json.secret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
    expect(answer.json.secretHint).toBe(answer.json.secret.slice(-4));
  });

  test("keeps the secret nowhere in the clear", async () => {
    const { secret, id } = (await hook({ url })).json;
    const [row] =
      await server.sql`select webhooks::text as text, secret_encrypted from webhooks where id = ${id}`;
    expect(row?.["text"]).not.toContain(secret);
    expect(row?.["secret_encrypted"].toString("latin1")).not.toContain(secret.slice("whsec_".length));
    expect(server.context.secrets.decrypt(row?.["secret_encrypted"])).toBe(secret);
  });

  test("can begin turned off", async () => {
    expect((await hook({ url, active: false })).json).toMatchObject({
      active: false,
      status: "disabled",
      disabledReason: "owner",
    });
  });

  test("keeps which events and prompts were chosen, each once", async () => {
    await publish(alice, "chosen", { visibility: "private" });
    const events = ["prompt.label.moved", "eval.run.completed"];
    const { json } = await hook({ url, events, prompts: ["alice/chosen", "alice/chosen"] });
    expect(json).toMatchObject({ events, prompts: ["alice/chosen"] });
  });

  test("is done once under one Idempotency-Key, and the replay leaves the secret out", async () => {
    const headers = { "idempotency-key": "hook" };
    const same = () => bob.request("POST /webhooks", { body: { url }, headers });
    const { secret, ...first } = (await same()).json;
    expect(secret).toMatch(/^whsec_/);
    const replay = await same();
    expect([replay.status, replay.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
    expect(replay.json).toEqual(first);
    const stored = await server.sql`select body from idempotency_keys where key = 'hook'`;
    expect(stored[0]?.["body"]).not.toContain("whsec_");
  });

  test.for<[string, object]>([
    ["no url", {}],
    ["a url that is too long", { url: `${url}?${"x".repeat(2048)}` }],
    ["no events", { url, events: [] }],
    ["ping among the events", { url, events: ["ping"] }],
    ["an event that there is not", { url, events: ["prompt.starred"] }],
    ["no prompts", { url, prompts: [] }],
    ["51 prompts", { url, prompts: Array.from({ length: 51 }, (_, i) => `alice/p${i}`) }],
    ["a prompt's name alone", { url, prompts: ["chosen"] }],
    ["an unknown field", { url, secret: "whsec_mine" }],
    ["a long description", { url, description: "x".repeat(281) }],
    ["NUL in the description", { url, description: "\0" }],
  ])("is refused for %s", async ([, body]) => {
    const answer = await hook(body);
    expect([answer.status, answer.json.error.code]).toEqual([422, "validation_failed"]);
  });

  test.for([
    "ftp://example.com/",
    "https://user:pass@example.com/",
    "example.com",
    "",
    "javascript:alert(1)",
    "https://exa mple.com",
    "https://example.com/#part",
    "https://name-that-does-not-exist.invalid/",
  ])("is refused for the address %j", async (address) => {
    const answer = await hook({ url: address });
    expect([answer.status, answer.json.error.code]).toEqual([422, "webhook_url_refused"]);
    expect(answer.json.error.details).toMatchObject([{ path: "/url" }]);
  });

  test("needs the scope write", async () => {
    const reader = await server.join("alice", { scopes: ["read", "evals:write"] });
    expect((await hook({ url }, reader)).json.error.code).toBe("token_scope");
  });
});

describe("a webhook's prompts", () => {
  test("are the account's own, and those it watches and can see", async () => {
    const watched: Record<string, string> = {};
    for (const visibility of ["public", "unlisted", "private"]) {
      watched[visibility] = (await publish(alice, `watched-${visibility}`, { visibility })).id;
      await server.sql`
        insert into watches (prompt_id, user_id, level) values (${watched[visibility] ?? ""}, ${bob.id}, 'all')`;
    }
    await publish(bob, "own", { visibility: "private" });
    const ok = await hook(
      { url, prompts: ["bob/own", "alice/watched-public", "alice/watched-unlisted"] },
      bob,
    );
    expect(ok.status).toBe(201);
    expect((await hook({ url, prompts: ["alice/watched-private"] }, bob)).status).toBe(422);
  });

  test("that may not be named are all named in the refusal, whether they exist or not", async () => {
    await publish(alice, "not-watched", { visibility: "private" });
    const { id: ignored } = await publish(alice, "ignored");
    const { id: others } = await publish(alice, "watched-by-others");
    await publish(bob, "mine", { visibility: "private" });
    await server.sql`insert into watches (prompt_id, user_id, level) values (${ignored}, ${bob.id}, 'ignore'),
      (${others}, ${alice.id}, 'all')`;
    const prompts = [
      "bob/mine",
      "alice/not-watched",
      "alice/ignored",
      "alice/watched-by-others",
      "nobody/nothing",
    ];
    const { status, json } = await hook({ url, prompts }, bob);
    expect([status, json.error.code]).toEqual([422, "validation_failed"]);
    expect(json.error.details.map(({ path }: { path: string }) => path)).toEqual([
      "/prompts/1",
      "/prompts/2",
      "/prompts/3",
      "/prompts/4",
    ]);
    expect(json.error.message).toContain("alice/not-watched");
  });

  test("cannot be deleted ones", async () => {
    await publish(bob, "gone", { visibility: "private" });
    await server.sql`update prompts set deleted_at = clock() where slug = 'gone'`;
    expect((await hook({ url, prompts: ["bob/gone"] }, bob)).status).toBe(422);
  });
});

describe("twenty webhooks", () => {
  test("are what 25 creations at once come to", async () => {
    const carol = await server.join("carol");
    const answers = await Promise.all(Array.from({ length: 25 }, () => hook({ url }, carol)));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ json }) => json.error.code)).toEqual(
      Array.from({ length: 5 }, () => "webhook_limit"),
    );
    expect((await server.sql`select from webhooks where user_id = ${carol.id}`).count).toBe(20);
  });

  test("count the disabled and not the deleted", async () => {
    const dave = await server.join("dave");
    for (let i = 0; i < 20; i++) await hook({ url, active: false }, dave);
    expect((await hook({ url }, dave)).status).toBe(409);
    await server.sql`
      update webhooks set deleted_at = clock() where id = (select id from webhooks where user_id = ${dave.id} limit 1)`;
    expect((await hook({ url }, dave)).status).toBe(201);
  });
});

describe("the event catalogue", () => {
  test("lists every event with who hears of it, and is not paged", async () => {
    const { status, json } = await alice.request("GET /webhooks/events");
    expect(status).toBe(200);
    expect(json.nextCursor).toBeNull();
    const byName = Object.fromEntries(json.items.map((item: { name: string }) => [item.name, item]));
    expect(Object.keys(byName)).toEqual(Object.keys(catalogue));
    expect(byName["prompt.version.created"]).toMatchObject({
      subscribable: true,
      watchLevels: ["releases", "all"],
    });
    expect(byName["prompt.published"]).toMatchObject({ subscribable: true, watchLevels: [] });
    expect(byName["ping"]).toMatchObject({ subscribable: false, watchLevels: [] });
  });

  test("shows examples that are envelopes with data of their event", async () => {
    const { json } = await alice.request("GET /webhooks/events");
    for (const { name, example } of json.items) {
      expect(Object.keys(example)).toEqual(["id", "event", "createdAt", "data"]);
      expect(example.event).toBe(name);
      const { prompt, actor: _, ...rest } = example.data;
      expect([name, catalogue[name as EventName].data.safeParse(rest).success]).toEqual([name, true]);
      expect(prompt === undefined).toBe(name === "ping");
    }
  });

  test("needs a token that may read", async () => {
    expect((await server.anonymous("GET /webhooks/events")).status).toBe(401);
    const writer = await server.join("alice", { scopes: ["write"] });
    expect((await writer.request("GET /webhooks/events")).json.error.code).toBe("token_scope");
  });
});
