import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { closeEndpoints, type Endpoint, openEndpoint, settled } from "../../../test/endpoints.ts";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { promptOf } from "../../../test/prompts.ts";
import { until } from "../../../test/waiting.ts";
import { sweep } from "./sweep.sql.ts";

let server: TestServer;
let people = 0;
let alice: Person;
let bob: Person;
/** Of alice, whose prompt it is, and of bob, who watches it. Both fail at first. */
let own: Endpoint;
let watching: Endpoint;
let prompt: string;
let now = Date.parse("2032-01-01T00:00:00.000Z");

beforeAll(async () => {
  server = await startTestServer({ works: true });
});
afterEach(() => closeEndpoints());
afterAll(() => server.stop());

const settle = () => settled(server);
async function goOn(seconds = 1): Promise<void> {
  now += seconds * 1000;
  await server.setClock(new Date(now).toISOString());
}
async function ask(who: Person, route: string, body?: object): Promise<void> {
  expect((await who.request(route, { body })).status).toBeLessThan(300);
  await goOn();
}
const turn = (visibility: string) => ask(alice, `PATCH ${prompt}`, { visibility });
const move = (name = "production") => ask(alice, `PUT ${prompt}/labels/${name}`, { versionNumber: 1 });
const log = async (who: Person, { id }: Endpoint) =>
  (await who.request(`GET /webhooks/${id}/deliveries?order=desc`)).json.items;
const statesOf = async (who: Person, endpoint: Endpoint) =>
  (await log(who, endpoint)).map(({ status, attempts }: any) => [status, attempts]).sort();
const redeliver = async (who: Person, { id }: Endpoint, nth = 0) => {
  const { id: deliveryId } = (await log(who, { id } as Endpoint))[nth];
  return who.request(`POST /webhooks/${id}/deliveries/${deliveryId}/redeliver`);
};
/** The time comes for whatever waits to be tried again. */
async function waitForRetries(): Promise<void> {
  own.answers = watching.answers = 200;
  await goOn(24 * 3600);
  await sweep(server.sql);
  await settle();
}

/** Bob was sent one event of alice's prompt that arrived, and one that failed and is to be tried again; so was she. */
async function stage(): Promise<void> {
  people += 1;
  [alice, bob] = [await server.join(`alice-${people}`), await server.join(`bob-${people}`)];
  prompt = `/prompts/${alice.handle}/p`;
  await goOn();
  await ask(alice, "POST /prompts", promptOf("p"));
  await settle();
  await ask(bob, `PUT ${prompt}/watch`, { level: "all" });
  await ask(alice, `PUT ${prompt}/watch`, { level: "releases" });
  [own, watching] = [await openEndpoint(server, alice), await openEndpoint(server, bob)];
  await move("arrives");
  await settle();
  own.answers = watching.answers = 500;
  await move("fails");
  await settle();
  own.received.length = watching.received.length = 0;
}

describe.for(["private", "deleted"])("when a prompt is made %s,", (state) => {
  const withdraw = () => (state === "deleted" ? ask(alice, `DELETE ${prompt}`) : turn(state));

  test("what was sent to others stays in their logs, and what was not is cancelled and never sent", async () => {
    await stage();
    const before = await log(bob, watching);
    await withdraw();
    await settle();
    expect(await statesOf(bob, watching)).toEqual([
      ["cancelled", 1],
      ["succeeded", 1],
    ]);
    const arrived = (await log(bob, watching)).find((one: { status: string }) => one.status === "succeeded");
    expect(before).toContainEqual(arrived);
    expect(await statesOf(alice, own)).toContainEqual(["pending", 1]);
    await waitForRetries();
    expect(own.names()).toContain("prompt.label.moved");
    expect(watching.received).toEqual([]);
  });

  test("what waits of other prompts is sent as before", async () => {
    await stage();
    const other = `/prompts/${alice.handle}/other`;
    await ask(alice, "POST /prompts", promptOf("other"));
    await settle();
    await ask(bob, `PUT ${other}/watch`, { level: "all" });
    await ask(alice, `PUT ${other}/labels/fails`, { versionNumber: 1 });
    await settle();
    await withdraw();
    await settle();
    expect(await statesOf(bob, watching)).toEqual([
      ["cancelled", 1],
      ["pending", 1],
      ["succeeded", 1],
    ]);
    expect((await redeliver(bob, watching)).status).toBe(202);
  });

  test("what was not sent is cancelled also for who has just ceased to watch it", async () => {
    await stage();
    await ask(bob, `DELETE ${prompt}/watch`);
    await withdraw();
    await settle();
    expect(await statesOf(bob, watching)).toContainEqual(["cancelled", 1]);
  });

  test("what was never sent to others shows them no data, and shows its owner all", async () => {
    await stage();
    // Nothing is attempted before another day.
    await server.sql`
      update deliveries set attempts = 0, next_attempt_at = clock() + interval '1 day' where status = 'pending'`;
    const payloadsOf = async (who: Person, { id }: Endpoint) => {
      const { items } = (await who.request(`GET /webhooks/${id}/deliveries?include=payload`)).json;
      const unsent = items.find(({ attempts }: { attempts: number }) => attempts === 0);
      const { payload } = (await who.request(`GET /webhooks/${id}/deliveries/${unsent.id}`)).json;
      expect(unsent.payload).toEqual(payload);
      return payload;
    };
    const { data, ...envelope } = await payloadsOf(bob, watching);
    expect(data.label.name).toBe("fails");
    await withdraw();
    await settle();
    expect(await payloadsOf(bob, watching)).toEqual(envelope);
    expect((await payloadsOf(alice, own)).data).toEqual(data);
  });

  test("nothing is sent to others again, and everything to its owner", async () => {
    await stage();
    await withdraw();
    await settle();
    own.answers = watching.answers = 200;
    for (const nth of [0, 1]) {
      const { status, json } = await redeliver(bob, watching, nth);
      expect([status, json.error.code]).toEqual([403, "forbidden"]);
      expect(json.error.message).toMatch(/not sent again/);
    }
    expect((await redeliver(alice, own, -1 + (await log(alice, own)).length)).status).toBe(202);
    await settle();
    expect(own.names()).toContain("prompt.label.moved");
    expect(watching.received).toEqual([]);
  });
});

describe("when a prompt turned private", () => {
  test("what is being recorded meanwhile stays as it ended", async () => {
    await stage();
    const { sql } = server;
    await sql.begin(async (recording) => {
      await recording`select from webhooks where id = ${watching.id} for update`;
      await turn("private");
      await until(async () => {
        const waiting = await sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        return waiting.count > 0 || (await statesOf(bob, watching)).flat().includes("cancelled");
      });
      await recording`
        update deliveries set status = 'succeeded', next_attempt_at = null, completed_at = clock()
        where webhook_id = ${watching.id} and status = 'pending'`;
    });
    await settle();
    expect(await statesOf(bob, watching)).toEqual([
      ["succeeded", 1],
      ["succeeded", 1],
    ]);
  });

  /** Bob has long ceased to watch it, so that nobody knows of what waits for him. */
  async function forget(): Promise<void> {
    await ask(bob, `DELETE ${prompt}/watch`);
    await server.sql`delete from former_watches`;
  }

  test("and public again, what is new is sent, and nothing of before, not even what nobody cancelled", {
    tags: "long",
  }, async () => {
    await stage();
    await forget();
    await turn("private");
    await turn("public");
    await settle();
    expect(await statesOf(bob, watching)).toContainEqual(["pending", 1]);
    await waitForRetries();
    expect(watching.received).toEqual([]);
    expect(await statesOf(bob, watching)).toContainEqual(["cancelled", 1]);
    expect((await redeliver(bob, watching)).status).toBe(403);
    // What happened in the very millisecond may have been before.
    await server.sql`
      update prompts set withdrawn_at = (select written_at from events where prompt_id = prompts.id order by id desc limit 1)
      where owner_id = ${alice.id}`;
    expect((await redeliver(bob, watching)).status).toBe(403);
    await ask(bob, `PUT ${prompt}/watch`, { level: "all" });
    await move("new");
    await settle();
    expect(watching.received.map(({ event }) => (event.data as any).label.name)).toEqual(["new"]);
  });

  test("more of it than a drain takes at once holds up nothing else", { tags: "long" }, async () => {
    await stage();
    await forget();
    await server.sql`
      insert into deliveries (day, event_day, event_id, event, webhook_id, epoch, next_attempt_at, redelivery_of)
      select d.day, event_day, event_id, event, webhook_id, epoch, clock(), d.id
      from deliveries d, generate_series(1, 40) where webhook_id = ${watching.id} and status = 'pending'`;
    await turn("private");
    await ask(bob, "POST /prompts", promptOf("mine"));
    await waitForRetries();
    expect(watching.names()).toEqual(["prompt.version.created"]);
  });

  test("an attempt under way ends, and is the last", async () => {
    await stage();
    watching.answers = 200;
    const { promise, resolve } = Promise.withResolvers<void>();
    watching.held = promise;
    await move("last");
    while (watching.received.length === 0) await delay(5);
    await turn("private");
    resolve();
    await settle();
    expect(watching.received.length).toBe(1);
    expect((await statesOf(bob, watching)).filter(([status]: string[]) => status === "pending")).toEqual([]);
  });
});
