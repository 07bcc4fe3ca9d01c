import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { drain, gapsSeconds } from "./drain.ts";
import { type Claimed, claim, record } from "./drain.sql.ts";
import { fanOut } from "./fan-out.sql.ts";
import { sweep } from "./sweep.sql.ts";

// No worker runs here: each step that one would take is taken by hand, and may be taken twice or not at all.
let server: TestServer;
let alice: Person;
let promptId: string;
let webhookId: string;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  const body = { kind: "text", slug: "p", title: "P", files: [{ path: "PROMPT.md", content: "1" }] };
  promptId = (await alice.request("POST /prompts", { body })).json.id;
});
beforeEach(async () => {
  const { sql } = server;
  await server.setClock("2030-01-01T12:00:00.000Z");
  await sql`truncate events, deliveries`;
  await sql`delete from webhooks`;
  await forgetJobs();
  webhookId = (await alice.request("POST /webhooks", { body: { url: "http://127.0.0.1:1/" } })).json.id;
});
afterAll(() => server.stop());

const forgetJobs = () =>
  server.sql`select graphile_worker.complete_jobs(array_agg(id)) from graphile_worker.jobs`;
const jobs = () => server.sql<{ task: string; key: string | null }[]>`
  select task_identifier as task, key from graphile_worker.jobs order by task_identifier, key`;
const deliveries = () => server.sql`select * from deliveries order by id`;
const take = async (limit = 10) =>
  (await claim(server.sql, { webhookId, limit, leaseSeconds: 60 }))?.deliveries ?? [];

/** Something happens to the prompt; gives the event as the job that fans it out names it. */
async function happen(): Promise<{ day: string; eventId: string }> {
  const files = [{ path: "PROMPT.md", content: String(Math.random()) }];
  await alice.request("POST /prompts/alice/p/versions", { body: { files } });
  const [event] = await server.sql<{ day: string; eventId: string }[]>`
    select day::text, id as "eventId" from events order by created_at desc limit 1`;
  return event as { day: string; eventId: string };
}

const succeed = (delivery: Claimed | undefined) =>
  server.sql.begin((sql) =>
    record(sql, {
      webhookId,
      delivery: delivery as Claimed,
      outcome: {
        ok: true,
        responseStatus: 200,
        responseTimeMs: 5,
        responseExcerpt: new Uint8Array(),
        error: null,
      },
      gapsSeconds,
      failuresToDisable: 15,
    }),
  );

describe("an event", () => {
  test("is written with the job that fans it out", async () => {
    const { eventId, day } = await happen();
    expect(await jobs()).toEqual([{ task: "fan_out", key: null }]);
    const [job] = await server.sql`select payload from graphile_worker._private_jobs`;
    expect(job?.["payload"]).toEqual({ day, eventId });
  });

  test("becomes one delivery of a webhook, however often it is fanned out", async () => {
    const event = await happen();
    await Promise.all(Array.from({ length: 5 }, () => fanOut(server.sql, event)));
    await fanOut(server.sql, event);
    expect(await deliveries()).toMatchObject([
      { event_id: event.eventId, webhook_id: webhookId, status: "pending" },
    ]);
  });

  test("wakes the drain of each webhook it reaches", async () => {
    const event = await happen();
    await forgetJobs();
    await fanOut(server.sql, event);
    expect(await jobs()).toEqual([{ task: "drain", key: webhookId }]);
  });

  test("reaches all of 1,000 watchers and the owner, each once", async () => {
    const { sql } = server;
    await sql`insert into users (handle) select 'w' || i from generate_series(1, 1000) i`;
    await sql`
      insert into watches (prompt_id, user_id, level) select ${promptId}, id, 'releases' from users where handle ~ '^w\\d'`;
    await sql`
      insert into webhooks (user_id, url, secret_encrypted, secret_key_id, secret_hint)
      select id, 'http://127.0.0.1:1/', '', '', '' from users where handle ~ '^w\\d'`;
    await fanOut(sql, await happen());
    const [count] =
      await sql`select count(*)::int as all, count(distinct webhook_id)::int as webhooks from deliveries`;
    expect(count).toEqual({ all: 1_001, webhooks: 1_001 });
    await sql`delete from watches`;
  });
});

describe("a lease", () => {
  test("keeps a delivery to whoever took it", async () => {
    await fanOut(server.sql, await happen());
    expect((await take()).length).toBe(1);
    expect(await take()).toEqual([]);
  });

  test("keeps the whole webhook to one, so that a slow endpoint takes one slot of the worker", async () => {
    for (let i = 0; i < 5; i++) await fanOut(server.sql, await happen());
    const claims = await Promise.all(Array.from({ length: 4 }, () => take(2)));
    expect(claims.map(({ length }) => length).sort((a, b) => a - b)).toEqual([0, 0, 0, 2]);
    const [first, second] = claims.flat();
    await succeed(first);
    expect(await take()).toEqual([]);
    await succeed(second);
    expect((await take()).length).toBe(3);
  });

  test("that ran out is taken again, and what comes late under it is not recorded", async () => {
    await fanOut(server.sql, await happen());
    const [lost] = await take();
    await server.setClock("2030-01-01T12:01:00.000Z");
    const [taken] = await take();
    expect(taken?.id).toBe(lost?.id);
    await succeed(lost);
    expect(await deliveries()).toMatchObject([{ status: "pending", attempts: 0, attempt_log: [] }]);
    await succeed(taken);
    await succeed(taken);
    expect(await deliveries()).toMatchObject([{ status: "succeeded", attempts: 1, lease_token: null }]);
  });
});

describe("a webhook", () => {
  test("that was deleted is sent nothing more, and its drain sees to what is left of it", async () => {
    await fanOut(server.sql, await happen());
    await alice.request(`DELETE /webhooks/${webhookId}`);
    await forgetJobs();
    expect(await claim(server.sql, { webhookId, limit: 10, leaseSeconds: 60 })).toBeNull();
    await drain(server.context, { webhookId });
    expect(await jobs()).toEqual([{ task: "purge_webhook", key: null }]);
  });

  test("that was disabled is sent nothing of before, cancelled or not, but its tests", async () => {
    await fanOut(server.sql, await happen());
    await alice.request(`POST /webhooks/${webhookId}/test`);
    await server.sql`update webhooks set disabled_reason = 'owner', epoch = epoch + 1`;
    expect((await take()).map(({ event }) => event)).toEqual(["ping"]);
  });
});

describe("the sweep", () => {
  test("wakes the fan-out of an event whose job was lost, after a minute", async () => {
    const { eventId } = await happen();
    await forgetJobs();
    await sweep(server.sql);
    expect(await jobs()).toEqual([]);
    await server.setClock("2030-01-01T12:01:01.000Z");
    await sweep(server.sql);
    await sweep(server.sql);
    expect(await jobs()).toEqual([{ task: "fan_out", key: eventId }]);
  });

  test("leaves an event that was fanned out", async () => {
    await fanOut(server.sql, await happen());
    await server.sql`delete from deliveries`;
    await forgetJobs();
    await server.setClock("2030-01-01T13:00:00.000Z");
    await sweep(server.sql);
    expect(await jobs()).toEqual([]);
  });

  test("wakes the drain of a delivery that is overdue, but not while somebody holds it", async () => {
    await fanOut(server.sql, await happen());
    await server.setClock("2030-01-01T12:01:30.000Z");
    await take();
    await forgetJobs();
    await sweep(server.sql);
    expect(await jobs()).toEqual([]);
    await server.setClock("2030-01-01T12:02:31.000Z");
    await sweep(server.sql);
    expect(await jobs()).toEqual([{ task: "drain", key: webhookId }]);
  });

  test("makes the partitions of the coming week, and leaves rows of a day that came without one", async () => {
    await server.setClock("2031-06-01T00:00:00.000Z");
    await happen();
    await sweep(server.sql);
    const days =
      await server.sql`select to_regclass('events_20310601') as today, to_regclass('events_20310608') as last`;
    expect(days).toEqual([{ today: null, last: "events_20310608" }]);
    expect((await server.sql`select from events_other`).count).toBe(1);
    await server.setClock("2031-06-08T00:00:00.000Z");
    await happen();
    expect((await server.sql`select from events_20310608`).count).toBe(1);
  });
});
