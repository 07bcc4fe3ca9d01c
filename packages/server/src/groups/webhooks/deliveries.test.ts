import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  closeEndpoints,
  type Endpoint,
  openEndpoint,
  type Received,
  settled,
} from "../../../test/endpoints.ts";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { moveLabel, publish, commit as commitTo } from "../../../test/prompts.ts";
import { sweep } from "./sweep.sql.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ works: true });
});
afterEach(() => closeEndpoints());
afterAll(() => server.stop());

const subscribe = (who: Person, fields?: object) => openEndpoint(server, who, fields);
const settle = () => settled(server);

const commit = (who: Person, slug: string, fields: object = {}) =>
  commitTo(who, slug, `${slug} ${Math.random()}`, fields);
async function evaluate(who: Person, slug: string, ending: object) {
  const body = { prompt: `${who.handle}/${slug}`, versionNumber: 1, model: "m" };
  const { json } = await who.request("POST /evals/runs", { body });
  return who.request(`PATCH /evals/runs/${json.id}`, { body: ending });
}
const deliveriesOf = ({ id }: Endpoint) => server.sql`
  select *, extract(epoch from next_attempt_at - clock())::int as wait from deliveries
  where webhook_id = ${id} order by created_at, id`;
const stateOf = async ({ id }: Endpoint) =>
  (
    await server.sql`
      select consecutive_failures as failures, disabled_reason as reason, epoch,
        last_success_at is not null as "hasSucceeded" from webhooks where id = ${id}`
  )[0];

/** When so many seconds have gone by since the next attempt of a webhook was due. */
async function dueOf({ id }: Endpoint, seconds: number): Promise<string> {
  const [due] = await server.sql`
    select iso(min(next_attempt_at) + make_interval(secs => ${seconds})) as at from deliveries
    where webhook_id = ${id} and status = 'pending'`;
  return due?.["at"];
}

/** Turns the clock to a time, and does what is due by then. */
async function turnTo(at: string): Promise<void> {
  await server.setClock(at);
  await sweep(server.sql);
  await settle();
}

describe("a delivery", () => {
  test("carries the event's own bytes, signed, and says which event and delivery it is", async () => {
    const alice = await server.join("alice");
    const { id: promptId } = await publish(alice, "signed");
    await settle();
    const endpoint = await subscribe(alice);
    await moveLabel(alice, "signed", "production");
    await settle();
    expect(endpoint.received.length).toBe(1);
    const [{ headers, body, event } = {} as Received] = endpoint.received;
    const [stored] = await server.sql`select body from events where id = ${event.id}`;
    expect(body.equals(stored?.["body"])).toBe(true);
    const [delivery] = await deliveriesOf(endpoint);
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "content-length": String(body.length),
      "user-agent": `Service-Webhooks/1.0 (+${server.url}/docs/webhooks)`,
      "service-event": "prompt.label.moved",
      "service-delivery": delivery?.["id"],
      "service-signature": expect.stringMatching(/^t=\d{10},v1=[0-9a-f]{64}$/),
    });
    expect(JSON.parse(body.toString())).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-hjkmnp-tv-z]{26}$/),
      event: "prompt.label.moved",
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: {
        prompt: { id: promptId, ref: "alice/signed", url: `${server.url}/alice/signed` },
        actor: { id: alice.id, handle: "alice", url: `${server.url}/alice` },
        label: { name: "production", versionNumber: 1, reason: null },
        previousVersionNumber: null,
      },
    });
  });

  test("leaves what became of it in the log", async () => {
    const ada = await server.join("ada");
    const endpoint = await subscribe(ada);
    await publish(ada, "logged");
    await settle();
    const [delivery] = await deliveriesOf(endpoint);
    expect(delivery).toMatchObject({
      status: "succeeded",
      event: "prompt.version.created",
      attempts: 1,
      max_attempts: 8,
      next_attempt_at: null,
      response_status: 200,
      error: null,
      attempt_log: [
        { at: expect.any(String), responseStatus: 200, responseTimeMs: expect.any(Number), error: null },
      ],
    });
    expect(String(delivery?.["response_excerpt"])).toBe("Thank you.");
    expect(delivery?.["completed_at"]).not.toBeNull();
    expect(await stateOf(endpoint)).toMatchObject({ failures: 0, hasSucceeded: true });
  });

  test("is the same for every webhook but for its own id and signature", async () => {
    const bea = await server.join("bea");
    const endpoints = [await subscribe(bea), await subscribe(bea)];
    await publish(bea, "twice");
    await settle();
    const [[one], [two]] = endpoints.map(({ received }) => received) as [Received[], Received[]];
    expect(one?.body.equals(two?.body ?? Buffer.alloc(0))).toBe(true);
    expect(one?.headers["service-delivery"]).not.toBe(two?.headers["service-delivery"]);
    expect(one?.headers["service-signature"]).not.toBe(two?.headers["service-signature"]);
  });

  test("of a failed request does not exist", async () => {
    const cleo = await server.join("cleo");
    await publish(cleo, "quiet");
    await settle();
    const endpoint = await subscribe(cleo);
    await moveLabel(cleo, "quiet", "latest");
    await moveLabel(cleo, "quiet", "production", 7);
    await commit(cleo, "quiet", { labels: ["draft"] });
    await commit(cleo, "quiet", { baseVersionNumber: 9 });
    await settle();
    expect(await deliveriesOf(endpoint)).toEqual([]);
  });
});

describe("who receives", () => {
  test("the owner, every event of their prompts, of private ones and drafts as well", async () => {
    const alice = await server.join("owner");
    const endpoint = await subscribe(alice);
    await publish(alice, "private", { visibility: "private" });
    await publish(alice, "draft", { publish: false });
    await settle();
    expect(endpoint.names()).toEqual(["prompt.version.created"]);
    endpoint.received.length = 0;
    await commit(alice, "draft");
    await moveLabel(alice, "private", "production");
    await evaluate(alice, "private", { status: "completed" });
    await evaluate(alice, "private", { status: "failed", error: "The provider answered 401." });
    await settle();
    expect(endpoint.names().sort()).toEqual([
      "eval.run.completed",
      "eval.run.failed",
      "prompt.label.moved",
      "prompt.published",
      "prompt.version.created",
    ]);
  });

  test("a webhook only the events it chose", async () => {
    const who = await server.join("chooser");
    const endpoint = await subscribe(who, { events: ["prompt.label.moved"] });
    await publish(who, "chosen");
    await moveLabel(who, "chosen", "production");
    await settle();
    expect(endpoint.names()).toEqual(["prompt.label.moved"]);
  });

  test("a webhook only the prompts it chose", async () => {
    const who = await server.join("picker");
    await publish(who, "picked");
    await publish(who, "passed-over");
    await settle();
    const endpoint = await subscribe(who, { prompts: ["picker/picked"] });
    await moveLabel(who, "picked", "production");
    await moveLabel(who, "passed-over", "production");
    await settle();
    expect(
      endpoint.received.map(({ event }) => (event.data as { prompt: { ref: string } }).prompt.ref),
    ).toEqual(["picker/picked"]);
  });

  test("a webhook that is turned off nothing, and nothing waits for it", async () => {
    const who = await server.join("sleeper");
    const endpoint = await subscribe(who, { active: false });
    await publish(who, "asleep");
    await settle();
    expect(await deliveriesOf(endpoint)).toEqual([]);
  });

  test("a stranger nothing", async () => {
    const endpoint = await subscribe(await server.join("stranger"));
    await publish(await server.join("someone"), "public");
    await settle();
    expect(await deliveriesOf(endpoint)).toEqual([]);
  });

  const releases = ["prompt.label.moved", "prompt.version.created"];
  test.for<[string, string, string[]]>([
    ["public", "releases", releases],
    ["public", "all", releases],
    ["public", "ignore", []],
    ["unlisted", "all", []],
    ["private", "all", []],
  ])("of a %s prompt, a watcher of the level %s: %j", async ([visibility, level, expected]) => {
    const owner = await server.join(`owner-${visibility}-${level}`);
    const watcher = await server.join(`watcher-${visibility}-${level}`);
    const { id: promptId } = await publish(owner, "watched", { visibility });
    await server.sql`insert into watches (prompt_id, user_id, level) values (${promptId}, ${watcher.id}, ${level})`;
    await settle();
    const [own, watching] = [await subscribe(owner), await subscribe(watcher)];
    await commit(owner, "watched");
    await moveLabel(owner, "watched", "production");
    await evaluate(owner, "watched", { status: "completed" });
    await settle();
    expect(own.names().sort()).toEqual(["eval.run.completed", ...releases]);
    expect(watching.names().sort()).toEqual(expected);
  });

  test("a watcher with a filter only the prompts it names", async () => {
    const owner = await server.join("author");
    const watcher = await server.join("reader");
    for (const slug of ["read", "unread"]) {
      const { id: promptId } = await publish(owner, slug);
      await server.sql`insert into watches (prompt_id, user_id, level) values (${promptId}, ${watcher.id}, 'releases')`;
    }
    await settle();
    const endpoint = await subscribe(watcher, { prompts: ["author/read"] });
    await moveLabel(owner, "read", "production");
    await moveLabel(owner, "unread", "production");
    await settle();
    expect(
      endpoint.received.map(({ event }) => (event.data as { prompt: { ref: string } }).prompt.ref),
    ).toEqual(["author/read"]);
  });

  test("an owner who watches their own prompt each event once", async () => {
    const who = await server.join("narcissus");
    const { id: promptId } = await publish(who, "mirror");
    await server.sql`insert into watches (prompt_id, user_id, level) values (${promptId}, ${who.id}, 'all')`;
    await settle();
    const endpoint = await subscribe(who);
    await moveLabel(who, "mirror", "production");
    await settle();
    expect(endpoint.names()).toEqual(["prompt.label.moved"]);
  });
});

describe("an endpoint that fails", () => {
  test("is tried eight times over a day, and then no more", async () => {
    const who = await server.join("failing");
    const endpoint = await subscribe(who);
    endpoint.answers = 500;
    await server.setClock("2030-01-01T00:00:00.000Z");
    await publish(who, "eight");
    await settle();
    const waits = [];
    for (let attempts = 1; attempts < 8; attempts++) {
      const [delivery] = await deliveriesOf(endpoint);
      expect(delivery).toMatchObject({ status: "pending", attempts, response_status: 500 });
      waits.push(delivery?.["wait"]);
      await turnTo(await dueOf(endpoint, 61));
    }
    expect(waits).toEqual([60, 300, 1_800, 7_200, 18_000, 28_800, 28_800]);
    const [delivery] = await deliveriesOf(endpoint);
    expect(delivery).toMatchObject({ status: "failed", attempts: 8, next_attempt_at: null });
    expect(delivery?.["attempt_log"][0]).toEqual({
      // When it began, a moment before it was recorded.
      at: expect.stringMatching(/^(2029-12-31T23:59:59|2030-01-01T00:00:00)/),
      responseStatus: 500,
      responseTimeMs: expect.any(Number),
      error: "status: The endpoint answered 500 instead of 2xx.",
    });
    expect(new Set(delivery?.["attempt_log"].map(({ at }: { at: string }) => at)).size).toBe(8);
    expect(new Set(endpoint.received.map(({ event }) => event.id)).size).toBe(1);
    expect(new Set(endpoint.received.map(({ headers }) => headers["service-delivery"])).size).toBe(1);
  });

  test("is not tried before its time", async () => {
    const who = await server.join("early");
    const endpoint = await subscribe(who);
    endpoint.answers = 503;
    await publish(who, "early");
    await settle();
    await turnTo(await dueOf(endpoint, -1));
    expect(endpoint.received.length).toBe(1);
  });

  test("that recovers gets what waited, and begins anew to count", async () => {
    const who = await server.join("recovering");
    const endpoint = await subscribe(who);
    endpoint.answers = 404;
    await publish(who, "waiting");
    await settle();
    expect(await stateOf(endpoint)).toMatchObject({ failures: 1, hasSucceeded: false });
    endpoint.answers = 204;
    await turnTo(await dueOf(endpoint, 61));
    expect((await deliveriesOf(endpoint))[0]).toMatchObject({
      status: "succeeded",
      attempts: 2,
      response_status: 204,
    });
    expect(await stateOf(endpoint)).toMatchObject({ failures: 0, hasSucceeded: true });
  });

  test.for([
    [302, /^redirect: .*\/elsewhere/],
    [304, /^redirect: /],
    [199 + 201, /^status: .*400/],
  ] as const)("fails by answering %i", async ([status, error]) => {
    const who = await server.join(`answers-${status}`);
    const endpoint = await subscribe(who);
    endpoint.answers = status;
    await publish(who, "answered");
    await settle();
    const [delivery] = await deliveriesOf(endpoint);
    expect(delivery).toMatchObject({
      status: "pending",
      response_status: status,
      error: expect.stringMatching(error),
    });
    expect(endpoint.received.length).toBe(1);
  });

  test("fifteen times in a row, over all deliveries, is turned off, and what waits is cancelled", async () => {
    const who = await server.join("hopeless");
    const { id: promptId } = await publish(who, "hopeless");
    await settle();
    const endpoint = await subscribe(who, { events: ["prompt.version.created"] });
    endpoint.answers = 500;
    for (let i = 0; i < 14; i++) {
      await commit(who, "hopeless");
      await settle();
    }
    expect(await stateOf(endpoint)).toMatchObject({ failures: 14, reason: null, epoch: 0 });
    await commit(who, "hopeless");
    await settle();
    expect(await stateOf(endpoint)).toMatchObject({ failures: 15, reason: "failures", epoch: 1 });
    const deliveries = await deliveriesOf(endpoint);
    expect(deliveries.map(({ status }) => status)).toEqual(Array.from({ length: 15 }, () => "cancelled"));
    expect(deliveries.every((delivery) => delivery["next_attempt_at"] === null)).toBe(true);

    await commit(who, "hopeless");
    await settle();
    expect((await deliveriesOf(endpoint)).length).toBe(15);
    expect((await server.sql`select from events where prompt_id = ${promptId}`).count).toBe(17);
  });

  test("many at once is turned off once, after fifteen attempts and no more", async () => {
    const who = await server.join("flood");
    await publish(who, "flood");
    await settle();
    const endpoint = await subscribe(who);
    endpoint.answers = 500;
    const { promise, resolve } = Promise.withResolvers<void>();
    endpoint.held = promise;
    await commit(who, "flood", { labels: Array.from({ length: 29 }, (_, i) => `l${i}`) });
    while ((await deliveriesOf(endpoint)).length < 30) await delay(10);
    resolve();
    await settle();
    expect(await stateOf(endpoint)).toMatchObject({ reason: "failures", epoch: 1 });
    const deliveries = await deliveriesOf(endpoint);
    expect(deliveries.length).toBe(30);
    expect(new Set(deliveries.map(({ status }) => status))).toEqual(new Set(["cancelled"]));
    expect(endpoint.received.length).toBe(15);
  });

  test("by hanging holds up nobody else, and hears no more at once than may fail", async () => {
    const [slow, quick] = [await server.join("slow"), await server.join("quick")];
    for (const who of [slow, quick]) await publish(who, "pace");
    await settle();
    const [hanging, prompt] = [await subscribe(slow), await subscribe(quick)];
    const { promise, resolve } = Promise.withResolvers<void>();
    hanging.held = promise;
    for (let i = 0; i < 3; i++) {
      await commit(slow, "pace", { labels: Array.from({ length: 12 }, (_, j) => `l${j}`) });
    }
    while (hanging.received.length === 0) await delay(10);
    await moveLabel(quick, "pace", "production");
    while (prompt.received.length === 0) await delay(10);
    expect(hanging.received.length).toBeLessThanOrEqual(15);
    resolve();
    await settle();
    expect(new Set(hanging.received.map(({ event }) => event.id)).size).toBe(39);
    expect(hanging.received.length).toBe(39);
  });

  test("never gets what waited before it was turned off, also when it is turned on again", async () => {
    const who = await server.join("reborn");
    const endpoint = await subscribe(who);
    endpoint.answers = 500;
    await publish(who, "reborn");
    await settle();
    const due = await dueOf(endpoint, 61);
    await server.sql`update webhooks set disabled_reason = 'owner', epoch = epoch + 1 where id = ${endpoint.id}`;
    await server.sql`update webhooks set disabled_reason = null where id = ${endpoint.id}`;
    endpoint.answers = 200;
    await turnTo(due);
    expect(endpoint.received.length).toBe(1);
    expect((await deliveriesOf(endpoint))[0]).toMatchObject({ status: "cancelled" });
    await moveLabel(who, "reborn", "production");
    await settle();
    expect(endpoint.received.length).toBe(2);
  });
});
