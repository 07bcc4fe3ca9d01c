import { createServer, type Server } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { commit, publish } from "../../../test/prompts.ts";
import { listen, until } from "../../../test/waiting.ts";
import { type Drains, openDrains } from "./drains.ts";
import { fanOut } from "../../../test/notified.ts";

// No worker runs here: what wakes a drain is said by hand, once, and no sweep finds what was forgotten.
let server: TestServer;
let drains: Drains;
let alice: Person;
let receiver: Server;
let url: string;
/** The ids of events, by the path of the webhook. */
let arrived: Map<string, string[]>;
/** Requests to paths that begin with `/slow`, and failures, wait for this. */
let held: PromiseWithResolvers<void>;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

let tests = 0;
beforeEach(async () => {
  drains = openDrains(server.context);
  alice = await server.join(`alice-${tests++}`);
  arrived = new Map();
  held = Promise.withResolvers();
  receiver = createServer((request, response) => {
    const path = request.url ?? "";
    arrived.set(path, [...(arrived.get(path) ?? []), String(request.headers["service-delivery"])]);
    request.resume();
    // Twelve go well, those that follow take their time and fail.
    const hasTurned = path === "/turning" && (arrived.get(path)?.length ?? 0) > 12;
    response.statusCode = hasTurned ? 500 : 200;
    const hasOpened = path === "/opening" && (arrived.get(path)?.length ?? 0) > 3;
    if (hasTurned || hasOpened || path.startsWith("/slow")) void held.promise.then(() => response.end());
    else response.end();
  });
  url = await listen(receiver);
});
afterEach(async () => {
  held.resolve();
  await drains.stop();
  receiver.closeAllConnections();
  receiver.close();
  // The next test counts all that there is.
  for (const table of ["deliveries", "webhooks", "graphile_worker._private_jobs"]) {
    await server.sql`delete from ${server.sql(table)}`;
  }
});

/** A webhook at each of some paths, by SQL: an account of its own can have no more than twenty. */
async function subscribe(who: Person, paths: string[], { isSlow = false } = {}): Promise<string[]> {
  const { secrets } = server.context;
  const rows = await server.sql<{ id: string }[]>`
    insert into webhooks (user_id, url, secret_encrypted, secret_key_id, secret_hint, is_slow, last_success_at)
    select ${who.id}, ${url} || path, ${secrets.encrypt("whsec_for_tests")}, ${secrets.keyId}, 'ests', ${isSlow}, clock()
    from unnest(${paths}::text[]) path returning id`;
  return rows.map(({ id }) => id);
}

/** Something happens to a prompt of each; their webhooks have what waits for them, and nobody was woken. */
async function happen(...people: Person[]): Promise<void> {
  for (const who of people) {
    const { status } = await commit(who, "p", String(Math.random()));
    if (status === 404) {
      await publish(who, "p", { visibility: "private", publish: false });
      await commit(who, "p", "Hello");
    }
  }
  await fanOut(server);
}
const pending = async () =>
  (await server.sql`select from deliveries where status = 'pending' and attempts = 0`).count;

test("a webhook that is woken is sent all that waits for it", async () => {
  const [id] = await subscribe(alice, ["/a"]);
  await happen(alice);
  await drains.wake([id ?? ""]);
  await until(async () => (await pending()) === 0);
  expect(arrived.get("/a")).toHaveLength(2);
});

test("three attempts begin at once, and one more for each that has succeeded", async () => {
  const [id] = await subscribe(alice, ["/opening"]);
  for (let n = 0; n < 11; n++) await happen(alice);
  void drains.wake([id ?? ""]);
  await until(async () => (arrived.get("/opening")?.length ?? 0) >= 9);
  await delay(50);
  expect(arrived.get("/opening")).toHaveLength(9);
});

test("what comes while a drain is just ending is never forgotten", { tags: "long" }, async () => {
  const ids = await subscribe(alice, ["/a", "/b", "/c"]);
  await happen(alice);
  for (let round = 0; round < 40; round++) {
    for (const id of ids) void drains.wake([id]);
    // At any moment of the drains that have begun.
    if (round % 3 > 0) await delay(Math.random() * 6);
    await happen(alice);
    await drains.wake(ids);
    await until(async () => (await pending()) === 0);
  }
  expect(new Set(arrived.get("/a")).size).toBe(42);
  expect(arrived.get("/a")).toHaveLength(42);
});

const heldCount = async () => (await server.sql`select from webhooks where lease_token is not null`).count;

test.for<[string, (id: string) => Promise<void>]>([
  [
    "nobody can read what it is to be sent",
    async (id) => {
      await server.sql`alter table events rename to events_elsewhere`;
      await drains.wake([id]);
      await drains.idle();
      await server.sql`alter table events_elsewhere rename to events`;
    },
  ],
  [
    "no attempt can be made",
    async (id) => {
      const allowUnsafeWebhooks = {
        get: () => {
          throw new Error("broken");
        },
      };
      const broken = openDrains(Object.create(server.context, { allowUnsafeWebhooks }));
      await broken.wake([id]);
      await broken.idle();
    },
  ],
])(
  "if %s, a webhook is let go, which is reported, and what waits for it is put to the queue",
  async ([, fail]) => {
    const [id = ""] = await subscribe(alice, ["/a"]);
    await happen(alice);
    await server.sql`delete from graphile_worker._private_jobs`;
    const report = vi.spyOn(server.context.failures, "report").mockReturnValue();
    await fail(id);
    expect([await heldCount(), arrived.size]).toEqual([0, 0]);
    expect((await server.sql`select key from graphile_worker.jobs`).map(({ key }) => key)).toEqual([id]);
    expect(report.mock.calls.map(([, about]) => about)).toEqual([{ operation: "drain", webhookId: id }]);
    report.mockRestore();
  },
);

test("a database that is away for a while holds nobody up for longer", { tags: "long" }, async () => {
  const [id] = await subscribe(alice, ["/a"]);
  await happen(alice);
  await server.sql`alter table webhooks rename to webhooks_elsewhere`;
  const woken = drains.wake([id ?? ""]);
  await delay(50);
  await server.sql`alter table webhooks_elsewhere rename to webhooks`;
  await woken;
  await until(async () => (await pending()) === 0);
  expect(arrived.get("/a")).toHaveLength(2);
});

test("no more is under way than may fail before the webhook is disabled", async () => {
  const [turning = "", quick = ""] = await subscribe(alice, ["/turning", "/quick"]);
  for (let i = 0; i < 28; i++) await happen(alice);
  await drains.wake([turning]);
  // The first to fail do so before there is room for the rest.
  await until(() => (arrived.get("/turning")?.length ?? 0) >= 20);
  held.resolve();
  held = Promise.withResolvers();
  await until(() => arrived.get("/turning")?.length === 27);
  await drains.wake([quick]);
  await until(() => arrived.get("/quick")?.length === 29);
  held.resolve();
  await until(async () => (await pending()) === 0);
  expect(arrived.get("/turning")).toHaveLength(27);
  const [webhook] = await server.sql`select consecutive_failures, disabled_reason from webhooks
    where id = ${turning}`;
  expect(webhook).toEqual({ consecutive_failures: 15, disabled_reason: "failures" });
});

test("what comes while an endpoint takes its time over something does not wait for it", async () => {
  const [id] = await subscribe(alice, ["/slow"]);
  await happen(alice);
  await drains.wake([id ?? ""]);
  // Not before it has begun.
  expect(await heldCount()).toBe(1);
  await until(() => arrived.get("/slow")?.length === 2);
  await happen(alice);
  await drains.wake([id ?? ""]);
  await until(() => (arrived.get("/slow")?.length ?? 0) > 2);
  expect(arrived.get("/slow")).toHaveLength(3);
});

test("a test waits for nothing else of its webhook, and nothing else for a test", async () => {
  const [id = ""] = await subscribe(alice, ["/slow"], { isSlow: true });
  const ping = async () => {
    await alice.request(`POST /webhooks/${id}/test`);
    await drains.wake([id]);
  };
  const sent = (count: number) => until(() => arrived.get("/slow")?.length === count);
  await ping();
  await sent(1);
  await happen(alice);
  await drains.wake([id]);
  await sent(2);
  await ping();
  await sent(3);
  expect(await pending()).toBe(4);
});

test("an endpoint that never answered, or failed, or was slow, gets one request until it answers", async () => {
  const ids = await subscribe(alice, ["/slow/new", "/slow/failing", "/slow/slow"]);
  const [isNew = "", isFailing = "", isSlow = ""] = ids;
  await server.sql`update webhooks set last_success_at = null where id = ${isNew}`;
  await server.sql`update webhooks set consecutive_failures = 1 where id = ${isFailing}`;
  await server.sql`update webhooks set is_slow = true where id = ${isSlow}`;
  const [quick = ""] = await subscribe(alice, ["/quick"]);
  for (let i = 0; i < 3; i++) await happen(alice);
  await drains.wake(ids);
  await until(() => arrived.size === 3);
  await drains.wake([quick]);
  await until(() => arrived.get("/quick")?.length === 4);
  for (const path of ["new", "failing", "slow"]) expect(arrived.get(`/slow/${path}`)).toHaveLength(1);
  held.resolve();
  await until(async () => (await pending()) === 0);
});

test("the endpoints of one account hold ten places and no more, and the others get theirs when one is free", async () => {
  const bob = await server.join("bob");
  const slow = await subscribe(
    alice,
    Array.from({ length: 14 }, (_, i) => `/slow/${i}`),
  );
  const [quick] = await subscribe(bob, ["/quick"]);
  await happen(alice, bob);
  for (const id of slow) await drains.wake([id]);
  await drains.wake([quick ?? ""]);
  await until(() => arrived.has("/quick"));
  expect([...arrived.keys()].filter((path) => path.startsWith("/slow")).length).toBeLessThanOrEqual(10);
  held.resolve();
  await until(async () => (await pending()) === 0);
  expect(arrived.size).toBe(15);
});

test("endpoints that were slow hold half of the slots, whoever they belong to, and a thousand wait here for one", {
  tags: "long",
}, async () => {
  const people = [];
  const slow: string[] = [];
  for (let i = 0; i < 11; i++) {
    const who = await server.join(`slow-${i}`);
    people.push(who);
    const paths = Array.from({ length: 10 }, (_, j) => `/slow/${i}/${j}`);
    slow.push(...(await subscribe(who, paths, { isSlow: true })));
  }
  const [quick] = await subscribe(alice, ["/quick"]);
  await happen(alice, ...people);
  for (const id of slow) await drains.wake([id]);
  await drains.wake([quick ?? ""]);
  await until(() => arrived.has("/quick"));
  expect(arrived.size - 1).toBeLessThanOrEqual(100);
  const more = await subscribe(
    alice,
    Array.from({ length: 1_000 }, (_, i) => `/more/${i}`),
    { isSlow: true },
  );
  let isTaken = false;
  const taken = drains.wake(more).then(() => (isTaken = true));
  await delay(50);
  expect(isTaken).toBe(false);
  held.resolve();
  await taken;
  await until(async () => (await pending()) === 0);
  expect(arrived.size).toBe(111);
});

test("a process that stops records what is under way, and leaves the rest to others", async () => {
  const ids = await subscribe(
    alice,
    Array.from({ length: 12 }, (_, i) => `/slow/${i}`),
  );
  await happen(alice);
  await server.sql`select graphile_worker.complete_jobs(array_agg(id)) from graphile_worker.jobs`;
  for (const id of ids) await drains.wake([id]);
  await until(() => arrived.size === 10);
  const stopped = drains.stop();
  held.resolve();
  await stopped;
  const attempts = [...arrived.values()].flat().length;
  expect((await server.sql`select from deliveries where status = 'succeeded'`).count).toBe(attempts);
  expect(await pending()).toBe(24 - attempts);
  expect((await server.sql`select from webhooks where lease_token is not null`).count).toBe(0);
  const jobs = await server.sql<{ payload: { webhookIds: string[] } }[]>`
    select payload from graphile_worker._private_jobs`;
  const left = await server.sql<{ id: string }[]>`
    select distinct webhook_id as id from deliveries where status = 'pending'`;
  const woken = new Set(jobs.flatMap(({ payload }) => payload.webhookIds));
  expect(left.filter(({ id }) => !woken.has(id))).toEqual([]);
});

test("who is told to stop at any moment begins nothing after it let a webhook go", {
  tags: "long",
}, async () => {
  for (let round = 0; round < 30; round++) {
    const [id] = await subscribe(alice, [`/${round}`]);
    await happen(alice);
    const others = openDrains(server.context);
    void others.wake([id ?? ""]);
    await delay(Math.random() * 8);
    await others.stop();
    const sent = arrived.get(`/${round}`) ?? [];
    expect(
      await server.sql`
      select id from deliveries where webhook_id = ${id ?? ""} and attempts = 1 order by id`,
    ).toEqual(sent.sort().map((delivery) => ({ id: delivery })));
  }
});

test("what has lost its event is not sent, and is not looked for again and again", async () => {
  const [id = ""] = await subscribe(alice, ["/a"]);
  await happen(alice);
  await server.sql`delete from events`;
  await drains.wake([id]);
  await drains.idle();
  expect([arrived.size, await pending()]).toEqual([0, 2]);
});

test("what can not be signed is not sent, says why, waits for its next attempt, and is not the receiver's failure", async () => {
  const [id] = await subscribe(alice, ["/a"]);
  await server.sql`update webhooks set secret_encrypted = '\\x00'`;
  await happen(alice);
  const report = vi.spyOn(server.context.failures, "report").mockReturnValue();
  await drains.wake([id ?? ""]);
  await drains.stop();
  expect(report.mock.calls.map(([, about]) => about)).toEqual([{ operation: "drain", webhookId: id }]);
  report.mockRestore();
  expect(arrived.size).toBe(0);
  expect(await server.sql`select consecutive_failures from webhooks`).toEqual([{ consecutive_failures: 0 }]);
  const error = expect.stringMatching(/^secret: .*cannot be read/);
  const tried = { attempts: 1, status: "pending", error, ms: 0 };
  expect(await server.sql`select attempts, status, error, response_time_ms as ms from deliveries`).toEqual([
    tried,
    tried,
  ]);
});
