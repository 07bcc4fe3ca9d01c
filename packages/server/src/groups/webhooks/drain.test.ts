import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import type { Sql } from "../../database/sql.ts";
import type { Changed } from "../../kernel/changes/bus.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import * as worker from "../../../test/notified.ts";
import { commit, publish } from "../../../test/prompts.ts";
import { acquire, type Claimed, cancelStale, giveUp, type Lease, release, take } from "./drain.sql.ts";
import { turnPartitions } from "./partitions.sql.ts";
import { type Attempt, record } from "./record.sql.ts";
import { sweep } from "./sweep.sql.ts";

// No worker runs here: each step that one would take is taken by hand, and may be taken twice or not at all.
let server: TestServer;
let alice: Person;
let promptId: string;
let webhookId: string;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  alice = await server.join("alice");
  promptId = (await publish(alice, "p")).id;
});
beforeEach(async () => {
  const { sql } = server;
  await server.setClock("2030-01-01T12:00:00.000Z");
  await sql`truncate events, deliveries`;
  await sql`delete from webhooks`;
  await forgetJobs();
  woken.length = 0;
  webhookId = (await alice.request("POST /webhooks", { body: { url: "http://127.0.0.1:1/" } })).json.id;
});
afterAll(() => server.stop());

const forgetJobs = () =>
  server.sql`select graphile_worker.complete_jobs(array_agg(id)) from graphile_worker.jobs`;
const jobs = () => server.sql<{ task: string; key: string | null }[]>`
  select task_identifier as task, key from graphile_worker.jobs order by task_identifier, key`;
const deliveries = () => server.sql`select * from deliveries order by id`;
const woken: string[] = [];
const wake = async (ids: readonly string[]) => void woken.push(...ids);
const fanOut = () => worker.fanOut(server, wake);
const leaseOf = (): Lease => ({ webhookId, token: randomUUID() });
const hold = async (): Promise<Lease> => {
  const lease = leaseOf();
  expect(await acquire(server.sql, lease)).not.toBeNull();
  return lease;
};
const letGo = (lease: Lease) => release(server.sql, lease, { waitsHere: false });
const due = (lease: Lease, except: string[] = [], limit = 15) =>
  take(server.sql, lease, { limit, except, withTests: true });
const webhook = async () => (await server.sql`select * from webhooks`)[0];

/** Something happens to the prompt; gives the id of the event. */
async function happen(): Promise<string> {
  await commit(alice, "p", String(Math.random()));
  return (await worker.newestEvent(server)).eventId;
}

async function happenAndFanOut(): Promise<void> {
  await happen();
  await fanOut();
}

const attemptAt = (delivery: Claimed | undefined, ok: boolean): Attempt => ({
  delivery: delivery as Claimed,
  startedAt: performance.now(),
  outcome: {
    ok,
    responseStatus: ok ? 200 : 500,
    responseTimeMs: 5,
    responseExcerpt: new Uint8Array(),
    error: ok ? null : { type: "status", message: "500" },
  },
});
const end = (lease: Lease, ok: boolean, ...deliveries: (Claimed | undefined)[]) =>
  record(
    server.context,
    lease,
    deliveries.map((delivery) => attemptAt(delivery, ok)),
  );

describe("an event", () => {
  test("is written without a job, and announced once it is committed", async () => {
    const heard: Changed[] = [];
    const unsubscribe = server.context.bus.subscribe((changed) => heard.push(changed));
    await happen();
    unsubscribe();
    expect(await jobs()).toEqual([]);
    expect(heard.some((changed) => changed?.has(promptId))).toBe(true);
  });

  test("becomes one delivery of a webhook, however many processes fan it out at once", async () => {
    const eventId = await happen();
    await Promise.all(Array.from({ length: 5 }, fanOut));
    await fanOut();
    expect(await deliveries()).toMatchObject([
      { event_id: eventId, webhook_id: webhookId, status: "pending" },
    ]);
  });

  test("wakes the drain of each webhook it reaches, here at first and by jobs when they are many", async () => {
    await happenAndFanOut();
    expect(woken).toEqual([webhookId]);
    await server.sql`
      insert into webhooks (user_id, url, secret_encrypted, secret_key_id, secret_hint)
      select ${alice.id}, 'http://127.0.0.1:1/', '', '', '' from generate_series(1, 119)`;
    await forgetJobs();
    woken.length = 0;
    await happenAndFanOut();
    expect(woken).toHaveLength(50);
    const payloads = await server.sql<{ payload: { webhookIds: string[] } }[]>`
      select payload from graphile_worker._private_jobs`;
    const others = payloads.flatMap(({ payload }) => payload.webhookIds);
    expect([payloads.length, new Set([...woken, ...others]).size]).toEqual([2, 120]);
  });

  test("reaches all of 1,500 watchers and the owner, each once", async () => {
    const { sql } = server;
    await sql`insert into users (handle) select 'w' || i from generate_series(1, 1500) i`;
    await sql`
      insert into watches (prompt_id, user_id, level) select ${promptId}, id, 'releases' from users where handle ~ '^w\\d'`;
    await sql`
      insert into webhooks (user_id, url, secret_encrypted, secret_key_id, secret_hint)
      select id, 'http://127.0.0.1:1/', '', '', '' from users where handle ~ '^w\\d'`;
    await happenAndFanOut();
    const [count] =
      await sql`select count(*)::int as all, count(distinct webhook_id)::int as webhooks from deliveries`;
    expect(count).toEqual({ all: 1_501, webhooks: 1_501 });
    await sql`delete from watches`;
  });
});

describe("a lease", () => {
  test("keeps a webhook to whoever took it", async () => {
    await happenAndFanOut();
    const lease = await hold();
    expect(await acquire(server.sql, leaseOf())).toBeNull();
    // Who did not hear that it got it asks again.
    expect(await acquire(server.sql, lease)).not.toBeNull();
  });

  test("is given to one of many who ask at once", async () => {
    await happenAndFanOut();
    const asked = await Promise.all(Array.from({ length: 9 }, () => acquire(server.sql, leaseOf())));
    expect(asked.filter((held) => held !== null)).toHaveLength(1);
  });

  test("is given to nobody while there is nothing to do", async () => {
    expect(await acquire(server.sql, leaseOf())).toBeNull();
    await happenAndFanOut();
    const lease = await hold();
    await end(lease, false, ...(await due(lease)));
    await letGo(lease);
    expect(await acquire(server.sql, leaseOf())).toBeNull();
    await server.setClock("2030-01-01T12:01:00.000Z");
    expect(await acquire(server.sql, leaseOf())).not.toBeNull();
  });

  test("is given for a test while a retry waits", async () => {
    await happenAndFanOut();
    const lease = await hold();
    await end(lease, false, ...(await due(lease)));
    await alice.request(`POST /webhooks/${webhookId}/test`);
    await letGo(lease);
    const other = leaseOf();
    expect(await acquire(server.sql, other)).toMatchObject({ hasStale: false });
    expect((await due(other)).map(({ event }) => event)).toEqual(["ping"]);
  });

  test("that ran out is taken again, and what comes late under it is not recorded", async () => {
    await happenAndFanOut();
    const lost = await hold();
    const [late] = await due(lost);
    await server.setClock("2030-01-01T12:00:30.000Z");
    const taken = await hold();
    const [delivery] = await due(taken);
    expect(delivery?.id).toBe(late?.id);
    expect(await end(lost, false, late)).toBe(false);
    await letGo(lost);
    expect(await deliveries()).toMatchObject([{ status: "pending", attempts: 0, attempt_log: [] }]);
    expect(await webhook()).toMatchObject({ consecutive_failures: 0, lease_token: taken.token });
    expect(await due(lost)).toEqual([]);
    await end(taken, true, delivery);
    expect(await deliveries()).toMatchObject([{ status: "succeeded", attempts: 1 }]);
  });

  test("that ran out and that nobody took still holds", async () => {
    await happenAndFanOut();
    const lease = await hold();
    const [delivery] = await due(lease);
    await server.setClock("2030-01-01T12:10:00.000Z");
    await end(lease, true, delivery);
    expect(await deliveries()).toMatchObject([{ status: "succeeded" }]);
  });

  test("records nothing of what its owner stops at that moment, and leaves it stopped", async () => {
    await happenAndFanOut();
    const lease = await hold();
    const [delivery] = await due(lease);
    await server.atOnce(
      (stopping) =>
        stopping`update webhooks set disabled_reason = 'owner', epoch = epoch + 1 where id = ${webhookId}`,
      [() => end(lease, false, delivery) as Promise<never>],
    );
    expect(await deliveries()).toMatchObject([{ status: "pending", attempts: 0 }]);
    expect(await webhook()).toMatchObject({ disabled_reason: "owner", epoch: 1, consecutive_failures: 0 });
  });

  test("records an attempt once, however often it is tried", async () => {
    await happenAndFanOut();
    const lease = await hold();
    const [delivery] = await due(lease);
    for (let i = 0; i < 3; i++) await end(lease, false, delivery);
    expect(await deliveries()).toMatchObject([{ status: "pending", attempts: 1 }]);
    expect(await webhook()).toMatchObject({
      consecutive_failures: 1,
      last_delivery_at: expect.anything(),
      last_success_at: null,
    });
  });

  test("logs an attempt by when it began, however late it is recorded", async () => {
    await happenAndFanOut();
    const lease = await hold();
    const [delivery] = await due(lease);
    const startedAt = performance.now() - 3_600_000;
    await record(server.context, lease, [{ ...attemptAt(delivery, true), startedAt }]);
    const [row] = await deliveries();
    expect(row?.["attempt_log"][0].at).toMatch(/^2030-01-01T10:59:5/);
  });

  test("counts a failure though a test arrived after it", async () => {
    await happenAndFanOut();
    await alice.request(`POST /webhooks/${webhookId}/test`);
    const lease = await hold();
    const [failing, ping] = await due(lease);
    await record(server.context, lease, [attemptAt(failing, false), attemptAt(ping, true)]);
    expect(await webhook()).toMatchObject({ consecutive_failures: 1, last_success_at: null });
  });

  test.for<[string, (sql: Sql, waiting: Claimed) => Promise<unknown>]>([
    ["is stale", (sql) => cancelStale(sql, webhookId)],
    ["is given up", (sql, waiting) => giveUp(sql, webhookId, [waiting])],
  ])("is waited for before what %s is cancelled", async ([, cancel]) => {
    await happenAndFanOut();
    const lease = await hold();
    const [waiting] = (await due(lease)) as [Claimed];
    await server.atOnce(
      (holder) => holder`update webhooks set epoch = epoch + 1 where id = ${webhookId}`,
      [() => server.context.sql.begin((sql) => cancel(sql, waiting)) as Promise<never>],
    );
    expect(await deliveries()).toMatchObject([{ status: "cancelled" }]);
  });

  test("gives up nothing that has ended meanwhile", async () => {
    await happenAndFanOut();
    await happenAndFanOut();
    const lease = await hold();
    const [ended, waiting] = (await due(lease)) as [Claimed, Claimed];
    await end(lease, true, ended);
    await server.sql.begin((sql) => giveUp(sql, webhookId, [ended, waiting]));
    const became = Object.fromEntries((await deliveries()).map(({ id, status }) => [id, status]));
    expect(became).toEqual({ [ended.id]: "succeeded", [waiting.id]: "cancelled" });
  });

  test("that is let go leaves a wake-up for the next attempt", async () => {
    await happenAndFanOut();
    const lease = await hold();
    await end(lease, false, ...(await due(lease)));
    await forgetJobs();
    await letGo(lease);
    const [job] = await server.sql`
      select key, round(extract(epoch from run_at - now())) as wait from graphile_worker.jobs`;
    expect(job).toMatchObject({ key: webhookId, wait: "60" });
  });
});

describe("of what waits", () => {
  const happenOften = async (times: number) => {
    for (let i = 0; i < times; i++) await happenAndFanOut();
  };

  test("as much is taken as is asked for, of what was not taken yet, and tests beside it", async () => {
    await happenOften(5);
    await alice.request(`POST /webhooks/${webhookId}/test`);
    const lease = await hold();
    const first = await due(lease, [], 3);
    expect(first.map(({ event }) => event === "ping")).toEqual([false, false, false, true]);
    const ids = first.map(({ id }) => id);
    const second = await due(lease, ids, 3);
    expect(new Set([...ids, ...second.map(({ id }) => id)]).size).toBe(6);
  });

  test("nothing is taken before its next attempt is due, and nothing of a webhook that was deleted meanwhile", async () => {
    await happenOften(2);
    const lease = await hold();
    const [one, two] = await due(lease);
    await end(lease, false, one);
    expect((await due(lease)).map(({ id }) => id)).toEqual([two?.id]);
    await alice.request(`DELETE /webhooks/${webhookId}`);
    expect(await due(lease)).toEqual([]);
    await forgetJobs();
    await letGo(lease);
    expect(await jobs()).toEqual([]);
  });

  test("what takes three seconds is slow, by the attempt that ended last", async () => {
    await happenOften(3);
    const lease = await hold();
    const deliveries = await due(lease);
    const take = (times: number[]) =>
      record(
        server.context,
        lease,
        times.map((responseTimeMs) => {
          const attempt = attemptAt(deliveries.pop(), true);
          return { ...attempt, outcome: { ...attempt.outcome, responseTimeMs } };
        }),
      );
    expect([await take([3_000]), await take([3_000, 2_999])]).toEqual([true, false]);
  });

  test("an attempt is counted by how it ended, with the delay of the first one that is no test", async () => {
    await happenOften(4);
    await server.setClock("2030-01-01T12:00:02.000Z");
    const lease = await hold();
    const [one, two, three, four] = await due(lease);
    expect(one?.ageSeconds).toBeCloseTo(2, 1);
    const countAttempt = vi.fn<Metrics["countAttempt"]>();
    await record({ ...server.context, metrics: { countAttempt } as unknown as Metrics }, lease, [
      attemptAt(one, true),
      attemptAt(two, false),
      attemptAt(three && { ...three, attempts: 1 }, false),
      attemptAt(four && { ...four, event: "ping" }, true),
    ]);
    expect(countAttempt.mock.calls.map(([counted]) => counted)).toEqual([
      { attempt: 1, outcome: "succeeded", afterSeconds: one?.ageSeconds },
      { attempt: 1, outcome: "status", afterSeconds: two?.ageSeconds },
      { attempt: 2, outcome: "status", afterSeconds: null },
      { attempt: 1, outcome: "succeeded", afterSeconds: null },
    ]);
    // Of what is sent again, the time since the event says nothing.
    const { json } = await alice.request(`POST /webhooks/${webhookId}/deliveries/${one?.id}/redeliver`);
    const again = (await due(lease)).find(({ id }) => id === json.id);
    expect(again?.ageSeconds).toBeNull();
  });

  test("the fifteenth failure in a row disables it, which is logged, and nothing is sent any more", async () => {
    const warn = vi.spyOn(server.context.log, "warn");
    await happenOften(17);
    const lease = await hold();
    const first = await due(lease);
    await record(
      server.context,
      lease,
      first.map((delivery, nth) => attemptAt(delivery, nth === 1)),
    );
    expect(await webhook()).toMatchObject({ consecutive_failures: 13, disabled_reason: null });
    const [one, two] = await due(lease, [], 2);
    await end(lease, false, one, two);
    expect(await webhook()).toMatchObject({
      consecutive_failures: 15,
      disabled_reason: "failures",
      epoch: 1,
    });
    expect(warn.mock.calls).toEqual([[{ webhookId }, "a webhook was disabled by failures"]]);
    expect((await alice.request("GET /notifications?type=webhook.disabled")).json.items).toHaveLength(1);
    warn.mockRestore();
    expect(await due(lease)).toEqual([]);
    expect(await server.sql.begin((sql) => cancelStale(sql, webhookId))).toBe(16);
    await letGo(lease);
    expect(await acquire(server.sql, leaseOf())).toBeNull();
  });

  test("a test goes to a disabled webhook too, and neither disables it again nor counts", async () => {
    await server.sql`update webhooks set disabled_reason = 'failures', consecutive_failures = 15, epoch = 1`;
    await alice.request(`POST /webhooks/${webhookId}/test`);
    const lease = await hold();
    const [ping] = await due(lease);
    expect(ping?.event).toBe("ping");
    await end(lease, false, ping);
    expect(await deliveries()).toMatchObject([{ status: "failed", attempts: 1 }]);
    expect(await webhook()).toMatchObject({ consecutive_failures: 15, epoch: 1, last_delivery_at: null });
  });

  test("nothing of before a webhook was disabled is sent, cancelled or not", async () => {
    await happenOften(2);
    await alice.request(`POST /webhooks/${webhookId}/test`);
    const lease = await hold();
    const [, under] = await due(lease);
    await server.sql`update webhooks set disabled_reason = 'owner', epoch = epoch + 1`;
    await server.sql`update webhooks set disabled_reason = null`;
    expect((await due(lease)).map(({ event }) => event)).toEqual(["ping"]);
    await end(lease, false, under);
    expect(await webhook()).toMatchObject({ consecutive_failures: 0 });
    expect(await server.sql`select status, attempts from deliveries where id = ${under?.id ?? ""}`).toEqual([
      { status: "pending", attempts: 0 },
    ]);
    // What happened since is not cancelled with it.
    await happenAndFanOut();
    expect(await server.sql.begin((sql) => cancelStale(sql, webhookId))).toBe(2);
  });

  test("nothing goes to a webhook that was deleted, and the sweep sees to what is left of it", async () => {
    await happenAndFanOut();
    await alice.request(`DELETE /webhooks/${webhookId}`);
    await forgetJobs();
    expect(await acquire(server.sql, leaseOf())).toBeNull();
    await server.setClock("2030-01-01T12:01:00.000Z");
    await sweep(server.sql);
    expect(await jobs()).toEqual([{ task: "purge_webhook", key: `purge ${webhookId}` }]);
  });
});

describe("the sweep", () => {
  test("wakes the drain of a delivery that is overdue, but not while somebody holds it", async () => {
    await happenAndFanOut();
    await forgetJobs();
    await server.setClock("2030-01-01T12:00:09.000Z");
    await sweep(server.sql);
    expect(await jobs()).toEqual([]);
    await server.setClock("2030-01-01T12:00:10.000Z");
    await sweep(server.sql);
    expect(await jobs()).toEqual([{ task: "drain", key: "overdue" }]);
    await hold();
    await forgetJobs();
    await sweep(server.sql);
    expect(await jobs()).toEqual([]);
    await server.setClock("2030-01-01T12:00:40.000Z");
    await sweep(server.sql);
    expect(await jobs()).toEqual([{ task: "drain", key: "overdue" }]);
  });
});

describe("the days", () => {
  const partitions = async (parent: string) =>
    (
      await server.sql<{ name: string }[]>`
        select c.relname as name from pg_inherits join pg_class c on c.oid = inhrelid
        where inhparent = ${parent}::regclass order by name`
    ).map(({ name }) => name);

  test("of the coming week have their partitions, and rows of a day that came without one stay", async () => {
    await server.setClock("2031-06-01T00:00:00.000Z");
    await happen();
    await turnPartitions(server.sql);
    const days =
      await server.sql`select to_regclass('events_20310601') as today, to_regclass('events_20310608') as last`;
    expect(days).toEqual([{ today: null, last: "events_20310608" }]);
    expect((await server.sql`select from events_other`).count).toBe(1);
    await server.setClock("2031-06-08T00:00:00.000Z");
    await happen();
    expect((await server.sql`select from events_20310608`).count).toBe(1);
  });

  test("are forgotten when they are over for 30 days, and their envelopes after 60", async () => {
    await server.setClock("2033-01-01T00:00:00.000Z");
    await happenAndFanOut();
    await turnPartitions(server.sql);
    await server.setClock("2033-01-02T12:00:00.000Z");
    await happenAndFanOut();
    const rows = async () =>
      (
        await server.sql`
          select (select count(*)::int from events) as events, (select count(*)::int from deliveries) as deliveries`
      )[0];
    const after = async (at: string) => {
      await server.setClock(at);
      await turnPartitions(server.sql);
      return rows();
    };
    expect(await after("2033-01-31T23:59:59.000Z")).toEqual({ events: 2, deliveries: 2 });
    expect(await after("2033-02-01T00:00:00.000Z")).toEqual({ events: 2, deliveries: 1 });
    expect(await after("2033-02-02T00:00:00.000Z")).toEqual({ events: 2, deliveries: 0 });
    expect(await after("2033-03-04T00:00:00.000Z")).toEqual({ events: 0, deliveries: 0 });
    expect((await partitions("deliveries"))[0]).toBe("deliveries_20330202");
  });

  test("are not waited for while somebody reads them", { tags: "long" }, async () => {
    await server.setClock("2034-01-01T00:00:00.000Z");
    await turnPartitions(server.sql);
    await server.setClock("2034-06-01T00:00:00.000Z");
    await server.sql.begin(async (reader) => {
      await reader`select from deliveries`;
      await turnPartitions(server.sql);
      expect(await partitions("deliveries")).toContain("deliveries_20340101");
      expect(await partitions("events")).not.toContain("events_20340101");
    });
    await turnPartitions(server.sql);
    expect(await partitions("deliveries")).not.toContain("deliveries_20340101");
  });
});
