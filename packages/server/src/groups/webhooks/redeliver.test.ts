import { events as catalogue } from "@promptreg/core";
import { verifySync } from "@promptreg/core/webhooks/node";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { closeEndpoints, type Endpoint, openEndpoint, settled } from "../../../test/endpoints.ts";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { moveLabel, publish } from "../../../test/prompts.ts";
import { until } from "../../../test/waiting.ts";

let server: TestServer;
let alice: Person;
let people = 0;

beforeAll(async () => {
  server = await startTestServer({ works: true });
});
afterEach(() => closeEndpoints());
afterAll(() => server.stop());

const settle = () => settled(server);

/** A webhook of a new account, of which nothing was heard yet. */
async function subscribe(fields?: object): Promise<Endpoint> {
  alice = await server.join(`alice-${++people}`);
  await publish(alice, "p", { visibility: "private" });
  await settle();
  return openEndpoint(server, alice, fields);
}
const patch = ({ id }: Endpoint, body: object) => alice.request(`PATCH /webhooks/${id}`, { body });
const ping = ({ id }: Endpoint) => alice.request(`POST /webhooks/${id}/test`);
const redeliver = ({ id }: Endpoint, deliveryId: string, headers = {}) =>
  alice.request(`POST /webhooks/${id}/deliveries/${deliveryId}/redeliver`, { headers });
const log = async ({ id }: Endpoint) =>
  (await alice.request(`GET /webhooks/${id}/deliveries?limit=100`)).json.items;
const label = (name: string) => moveLabel(alice, "p", name);
/** Something happens once, and is sent as far as it goes; gives the delivery. */
async function happen(endpoint: Endpoint, name = "production") {
  await label(name);
  await settle();
  return (await log(endpoint))[0];
}

describe("a test delivery", () => {
  test("is an event of its own, sent at once", async () => {
    const endpoint = await subscribe({ events: ["prompt.deleted"] });
    const { status, json, headers } = await ping(endpoint);
    expect([status, json]).toMatchObject([
      202,
      { event: "ping", status: "pending", maxAttempts: 1, attempts: 0 },
    ]);
    const path = `/webhooks/${endpoint.id}/deliveries/${json.id}`;
    expect(headers.get("location")).toBe(`${server.url}/api/v1${path}`);
    await settle();
    const [received] = endpoint.received;
    expect(received?.headers).toMatchObject({ "service-event": "ping", "service-delivery": json.id });
    expect(JSON.parse(String(received?.body))).toEqual(json.payload);
    expect(Object.keys(json.payload)).toEqual(["id", "event", "createdAt", "data"]);
    expect(catalogue.ping.data.parse(json.payload.data).webhook.id).toBe(endpoint.id);
    expect((await alice.request(`GET ${path}`)).json).toMatchObject({ status: "succeeded", attempts: 1 });
  });

  test("reaches a disabled webhook, is not tried again, and never counts", async () => {
    const endpoint = await subscribe({ active: false });
    endpoint.answers = 500;
    await ping(endpoint);
    await settle();
    expect(await log(endpoint)).toMatchObject([{ status: "failed", attempts: 1, nextAttemptAt: null }]);
    await patch(endpoint, { active: true });
    for (let i = 0; i < 20; i++) await ping(endpoint);
    await settle();
    expect(endpoint.received).toHaveLength(21);
    const { json } = await alice.request(`GET /webhooks/${endpoint.id}`);
    expect(json).toMatchObject({ status: "active", consecutiveFailures: 0 });
  });

  test("reaches a webhook that fifteen failures disabled, which can then be enabled", async () => {
    const endpoint = await subscribe();
    endpoint.answers = 500;
    for (let i = 0; i < 15; i++) await label(`l${i}`);
    await settle();
    const shown = async () => (await alice.request(`GET /webhooks/${endpoint.id}`)).json;
    expect(await shown()).toMatchObject({ disabledReason: "failures", consecutiveFailures: 15 });
    endpoint.received.length = 0;
    // The receiver is mended first, and then seen to be.
    endpoint.answers = 200;
    expect((await ping(endpoint)).status).toBe(202);
    await settle();
    expect(endpoint.names()).toEqual(["ping"]);
    expect((await log(endpoint))[0]).toMatchObject({ event: "ping", status: "succeeded", attempts: 1 });
    expect(await shown()).toMatchObject({ disabledReason: "failures", consecutiveFailures: 15 });
    await patch(endpoint, { active: true });
    await happen(endpoint);
    expect(endpoint.names()).toEqual(["ping", "prompt.label.moved"]);
  });

  test("can be sent again, once, and does not count then either, while its webhook is enabled", async () => {
    const endpoint = await subscribe();
    endpoint.answers = 500;
    const { json } = await ping(endpoint);
    await settle();
    const again = await redeliver(endpoint, json.id);
    expect([again.status, again.json]).toMatchObject([
      202,
      { event: "ping", maxAttempts: 1, redeliveryOf: json.id },
    ]);
    await settle();
    expect((await log(endpoint)).map(({ status }: { status: string }) => status)).toEqual([
      "failed",
      "failed",
    ]);
    expect((await alice.request(`GET /webhooks/${endpoint.id}`)).json.consecutiveFailures).toBe(0);
    await patch(endpoint, { active: false });
    expect((await redeliver(endpoint, json.id)).json.error.code).toBe("webhook_disabled");
  });
});

describe("a redelivery", () => {
  test("is a new delivery of the same event and bytes", async () => {
    const endpoint = await subscribe();
    const original = await happen(endpoint);
    const { status, json } = await redeliver(endpoint, original.id);
    expect(status).toBe(202);
    expect(json).toMatchObject({
      eventId: original.eventId,
      redeliveryOf: original.id,
      attempts: 0,
      maxAttempts: 8,
    });
    await settle();
    const [first, second] = endpoint.received;
    expect(second?.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true);
    expect(first?.headers["service-delivery"]).toBe(original.id);
    expect(second?.headers["service-delivery"]).toBe(json.id);
    expect(await log(endpoint)).toMatchObject([{ id: json.id, status: "succeeded" }, original]);
    expect((await redeliver(endpoint, json.id)).json).toMatchObject({ redeliveryOf: json.id });
  });

  test("of a pending one replaces what was left of it", async () => {
    const endpoint = await subscribe();
    endpoint.answers = 500;
    const original = await happen(endpoint);
    expect(original).toMatchObject({ status: "pending", attempts: 1 });
    endpoint.answers = 200;
    await redeliver(endpoint, original.id);
    const [, replaced] = await log(endpoint);
    expect(replaced).toMatchObject({
      id: original.id,
      status: "cancelled",
      attempts: 1,
      nextAttemptAt: null,
    });
    await settle();
    expect(await log(endpoint)).toMatchObject([{ status: "succeeded" }, replaced]);
    expect(endpoint.received).toHaveLength(2);
  });

  test("of one that is being sent makes its result come too late", async () => {
    const endpoint = await subscribe();
    const { promise, resolve } = Promise.withResolvers<void>();
    endpoint.held = promise;
    await label("production");
    await until(() => endpoint.received.length === 1);
    const [original] = await log(endpoint);
    const { json } = await redeliver(endpoint, original.id);
    resolve();
    await settle();
    expect(await log(endpoint)).toMatchObject([
      { id: json.id, status: "succeeded" },
      { id: original.id, status: "cancelled", attempts: 0, responseStatus: null },
    ]);
    expect(endpoint.received).toHaveLength(2);
  });

  test("needs an enabled webhook", async () => {
    const endpoint = await subscribe();
    const original = await happen(endpoint);
    await patch(endpoint, { active: false });
    const refused = await redeliver(endpoint, original.id);
    expect([refused.status, refused.json.error.code]).toEqual([409, "webhook_disabled"]);
    expect(await log(endpoint)).toEqual([original]);
    await patch(endpoint, { active: true });
    expect((await redeliver(endpoint, original.id)).status).toBe(202);
    await settle();
    expect((await log(endpoint))[0]).toMatchObject({ status: "succeeded", redeliveryOf: original.id });
  });

  test("is made once under one Idempotency-Key", async () => {
    const endpoint = await subscribe();
    const { id } = await happen(endpoint);
    const headers = { "idempotency-key": "again" };
    const first = await redeliver(endpoint, id, headers);
    const second = await redeliver(endpoint, id, headers);
    expect([second.status, second.json.id]).toEqual([202, first.json.id]);
    await settle();
    expect(endpoint.received).toHaveLength(2);
  });
});

describe("at the same time,", () => {
  test("two redeliveries of a pending delivery are two, and it is cancelled once", async () => {
    const endpoint = await subscribe();
    endpoint.answers = 500;
    const original = await happen(endpoint);
    endpoint.answers = 200;
    const answers = await Promise.all([redeliver(endpoint, original.id), redeliver(endpoint, original.id)]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    await settle();
    const items = await log(endpoint);
    expect(items.map(({ status }: { status: string }) => status)).toEqual([
      "succeeded",
      "succeeded",
      "cancelled",
    ]);
    expect(items[2].id).toBe(original.id);
    expect(endpoint.received).toHaveLength(3);
  });

  test("disabling and redelivering leave nothing that waits on a disabled webhook", async () => {
    const endpoint = await subscribe();
    const { promise, resolve } = Promise.withResolvers<void>();
    endpoint.held = promise;
    await label("production");
    await until(() => endpoint.received.length === 1);
    const [original] = await log(endpoint);
    const disabling = () => patch(endpoint, { active: false });
    const redelivering = () => redeliver(endpoint, original.id);
    const answers = await Promise.all([
      redelivering(),
      redelivering(),
      disabling(),
      redelivering(),
      redelivering(),
    ]);
    const statuses = answers.map(({ status }) => status);
    expect(statuses[2]).toBe(200);
    for (const status of statuses.toSpliced(2, 1)) expect([202, 409]).toContain(status);
    const items = await log(endpoint);
    expect(items).toHaveLength(1 + statuses.filter((status) => status === 202).length);
    expect(new Set(items.map(({ status }: { status: string }) => status))).toEqual(new Set(["cancelled"]));
    resolve();
    await settle();
    expect(await log(endpoint)).toEqual(items);
    expect(endpoint.received.length).toBeLessThanOrEqual(items.length);
  });

  test("switching off and on and failing deliveries get in nobody's way", { tags: "long" }, async () => {
    const endpoint = await subscribe();
    endpoint.answers = 500;
    for (let i = 0; i < 10; i++) await label(`l${i}`);
    for (let i = 0; i < 20; i++) {
      const active = i % 2 === 1;
      const answers = await Promise.all([
        patch(endpoint, { active }),
        label(`l${i % 10}-${i}`),
        ping(endpoint),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 201, 202]);
    }
    await settle();
    const [{ stuck } = { stuck: -1 }] = await server.sql<{ stuck: number }[]>`
      select count(*)::int as stuck from deliveries d join webhooks w on w.id = d.webhook_id
      where w.id = ${endpoint.id} and d.status = 'pending' and d.epoch < w.epoch`;
    expect(stuck).toBe(0);
  });

  test("what is taken up after a rotation is signed with the new secret", async () => {
    const endpoint = await subscribe();
    const { promise, resolve } = Promise.withResolvers<void>();
    endpoint.held = promise;
    for (let i = 0; i < 25; i++) await label(`l${i}`);
    await until(() => endpoint.received.length > 0);
    const { secret } = (await patch(endpoint, { rotateSecret: true })).json;
    // What had been taken up before carries the old signature; it is on its way.
    endpoint.secret = [String(endpoint.secret), secret];
    resolve();
    await settle();
    const isNew = endpoint.received.map(({ body, headers }) => {
      try {
        verifySync(body, headers["service-signature"], secret);
        return true;
      } catch {
        return false;
      }
    });
    expect(isNew).toHaveLength(25);
    expect(isNew.filter((one) => !one).length).toBeLessThanOrEqual(15);
    expect(isNew.slice(15).every(Boolean)).toBe(true);
  });

  test("a drain under way sends nothing more to a webhook that was deleted", { tags: "long" }, async () => {
    const endpoint = await subscribe();
    const { promise, resolve } = Promise.withResolvers<void>();
    endpoint.held = promise;
    for (let i = 0; i < 25; i++) await label(`l${i}`);
    await until(() => endpoint.received.length > 0);
    expect((await alice.request(`DELETE /webhooks/${endpoint.id}`)).status).toBe(204);
    resolve();
    await settle();
    expect(endpoint.received.length).toBeLessThanOrEqual(15);
    const [left] = await server.sql`
      select (select count(*)::int from deliveries where webhook_id = ${endpoint.id}) as log,
        (select count(*)::int from webhooks where id = ${endpoint.id}) as itself`;
    expect(left).toEqual({ log: 0, itself: 0 });
  });
});

// The last: it turns the clock of the whole server.
test("a redelivery after weeks lies on its own day and sends the bytes of then", async () => {
  const endpoint = await subscribe();
  await server.setClock("2035-03-01T12:00:00.000Z");
  const original = await happen(endpoint);
  await server.setClock("2035-03-30T11:00:00.000Z");
  const { json } = await redeliver(endpoint, original.id);
  await settle();
  const rows = await server.sql`
    select day::text, event_day::text as "eventDay" from deliveries where webhook_id = ${endpoint.id} order by id`;
  expect(rows).toEqual([
    { day: "2035-03-01", eventDay: "2035-03-01" },
    { day: "2035-03-30", eventDay: "2035-03-01" },
  ]);
  const [first, second] = endpoint.received;
  expect(second?.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true);
  expect(json.createdAt).toBe("2035-03-30T11:00:00.000Z");
});
