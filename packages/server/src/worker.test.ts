import { createServer, type Server } from "node:http";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  createDatabase,
  type Person,
  startTestServer,
  type TestDatabase,
  type TestServer,
} from "../test/harness.ts";
import { publish, commit as commitTo } from "../test/prompts.ts";
import { listen, until } from "../test/waiting.ts";
import { sweep } from "./groups/webhooks/sweep.sql.ts";
import { emit } from "./kernel/changes/emit.ts";
import { notify } from "./kernel/changes/notify.ts";

let database: TestDatabase;
let server: TestServer;
let receiver: Server;
let alice: Person;
let webhookId: string;
let promptId: string;
/** The ids of received deliveries, in order, with repeated ones. */
let received: string[];
let userAgent: string | undefined;
let answered: Promise<void>;

beforeEach(async () => {
  received = [];
  answered = Promise.resolve();
  receiver = createServer((request, response) => {
    received.push(String(request.headers["service-delivery"]));
    userAgent = request.headers["user-agent"];
    void answered.then(() => response.end());
  });
  const url = await listen(receiver);
  database = await createDatabase();
  server = await startTestServer({ database });
  alice = await server.join("alice");
  webhookId = (await alice.request("POST /webhooks", { body: { url } })).json.id;
  promptId = (await publish(alice, "p", { publish: false })).id;
});
afterEach(async () => {
  receiver.closeAllConnections();
  receiver.close();
  await server.stop();
  await database.drop();
});

/** Starts a process with only a worker, on the database of this test. */
const startWorker = () => startTestServer({ database, serves: false, works: true });
const commit = (labels: string[] = []) => commitTo(alice, "p", String(Math.random()), { labels });
const statuses = async () =>
  (await server.sql<{ status: string }[]>`select status from deliveries`).map(({ status }) => status);
const isSettled = async () =>
  (
    await server.sql`select from graphile_worker.jobs where run_at <= now() and locked_by is distinct from 'killed'`
  ).count === 0;

describe("a worker", () => {
  test("sends events from before its start", async () => {
    await commit();
    expect(received).toEqual([]);
    const worker = await startWorker();
    await until(() => received.length === 2);
    // It links to the documentation, although this process serves nothing.
    expect(userAgent).toMatch(/^Service-Webhooks\/1\.0 \(\+http:\/\/.+\/docs\/webhooks\)$/);
    await worker.stop();
  });

  test("sends everything once, together with another one on the same database", async () => {
    const workers = await Promise.all([startWorker(), startWorker()]);
    await Promise.all(Array.from({ length: 10 }, (_, i) => commit([`a${i}`, `b${i}`])));
    // Ten commits, twenty labels, and the draft's publication.
    await until(async () => (await statuses()).filter((status) => status === "succeeded").length === 31);
    expect(received.length).toBe(31);
    expect(new Set(received).size).toBe(31);
    for (const worker of workers) await worker.stop();
  });

  test("finishes and records running deliveries before it stops", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    answered = promise;
    const worker = await startWorker();
    await commit();
    await until(() => received.length > 0);
    const stopped = worker.stop();
    resolve();
    await stopped;
    expect((await statuses()).filter((status) => status === "succeeded").length).toBe(received.length);
    expect((await server.sql`select from webhooks where lease_token is not null`).count).toBe(0);
  });

  test("takes over from one that was killed between sending a delivery and recording it", async () => {
    const first = await startWorker();
    await commit();
    await until(async () => (await statuses()).join() === "succeeded,succeeded");
    await first.stop();
    // What a killed process leaves: a delivery under a lease, and a job that stays locked for hours.
    await server.sql`
      update deliveries set status = 'pending', attempts = 0, next_attempt_at = clock(), completed_at = null
      where event = 'prompt.published'`;
    await server.sql`update webhooks set lease_token = gen_random_uuid(), leased_until = clock() + interval '30 seconds'`;
    await server.sql`
      select graphile_worker.add_job('drain', json_build_object('webhookIds', json_build_array(${webhookId}::text)), job_key := ${webhookId})`;
    await server.sql`
      update graphile_worker._private_jobs set locked_at = now(), locked_by = 'killed' where key = ${webhookId}`;
    const second = await startWorker();
    await sweep(server.sql);
    await until(isSettled);
    expect(received).toHaveLength(2);
    await server.setClock("2040-01-01T00:00:00.000Z");
    await sweep(server.sql);
    await until(() => received.length === 3);
    await until(async () => (await statuses()).every((status) => status === "succeeded"));
    expect(received.slice(0, 2)).toContain(received[2]);
    await second.stop();
  });

  test("finds within a second what was committed without a word", async () => {
    const worker = await startWorker();
    const silent = { ...server.context, caller: null, bus: { announce() {} } };
    const prompt = {
      id: promptId,
      ownerId: alice.id,
      ownerHandle: "alice",
      slug: "p",
      visibility: "private",
    };
    await until(isSettled);
    await server.sql.begin(async (sql) => {
      await emit(sql, silent, "prompt.deleted", { prompt }, { deletedAt: "2030-01-01T00:00:00.000Z" });
      await notify(
        sql,
        silent,
        "prompt.forked",
        { prompt, userId: alice.id },
        {
          fork: { id: "prm_1", ref: "bob/p", url: "http://127.0.0.1/bob/p" },
        },
      );
    });
    await until(() => received.length > 0);
    expect(received).toHaveLength(1);
    await until(async () => {
      const { items } = (await alice.request("GET /notifications")).json;
      return items.some(({ type }: { type: string }) => type === "prompt.forked");
    });
    await worker.stop();
  });
});
