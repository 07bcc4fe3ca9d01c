import { readFileSync } from "node:fs";
import { EventEmitter } from "node:events";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { commit, filesOf, publish } from "../../../test/prompts.ts";
import { fanOut } from "../../../test/notified.ts";
import { png, uploadOf } from "../../../test/media.ts";
import { selectBacklog } from "../../backlog.sql.ts";
import { guardTransactions } from "../../database/transaction.ts";
import { watchBacklog } from "./backlog.ts";
import { openMetrics } from "./metrics.ts";

const lines: any[] = [];
let server: TestServer;
let alice: Person;

beforeAll(async () => {
  server = await startTestServer({
    metrics: { host: "127.0.0.1", port: 0 },
    log: { write: (line) => void lines.push(JSON.parse(line)) },
    logLevel: "debug",
  });
  alice = await server.join("alice");
  await publish(alice, "greeting", { files: filesOf("A text that nobody logs") });
});
afterAll(() => server.stop());

/** However slow the machine is. */
const soon = <T>(look: () => T | Promise<T>) => vi.waitFor(look, { timeout: 60_000 });
/** What is logged of a request with this id, once it has ended. */
const lineOf = (requestId: string) =>
  soon(() => lines.find((line) => line.requestId === requestId) ?? expect.fail("no line yet"));
const figures = async () => (await fetch(`${server.metricsUrl}/metrics`)).text();
const figure = async (start: string): Promise<number> => {
  const line = (await figures()).split("\n").find((one) => one.startsWith(start));
  return Number(line?.split(" ").at(-1) ?? Number.NaN);
};

describe("the request log", () => {
  test("has a line for each request, with whose token it had, and nothing of what was asked", async () => {
    const headers = { "x-request-id": "req-read" };
    await alice.request("GET /prompts/alice/greeting?label=latest", { headers });
    const line = await lineOf("req-read");
    expect(line).toMatchObject({
      level: 20,
      msg: "request",
      method: "GET",
      operation: "prompts.get",
      status: 200,
      account: "alice",
      token: expect.any(String),
      ms: expect.any(Number),
    });
    expect(lines.map((one) => JSON.stringify(one)).join("\n")).not.toMatch(/greeting|nobody logs|prt_/);
  });

  test("names the code of a refusal, and whose it was", async () => {
    await alice.request("GET /prompts/alice/none", { headers: { "x-request-id": "req-none" } });
    expect(await lineOf("req-none")).toMatchObject({ status: 404, code: "not_found", account: "alice" });
    await fetch(`${server.url}/no/such/page/at/all`, { headers: { "x-request-id": "req-page" } });
    expect(await lineOf("req-page")).toMatchObject({ operation: null, status: 404 });
  });

  test("has one line a second for a storm of wrong tokens, with their number", { tags: "long" }, async () => {
    const before = lines.length;
    const ask = () =>
      fetch(`${server.url}/api/v1/me`, { headers: { authorization: `Bearer prt_${"x".repeat(42)}` } });
    for (let nth = 0; nth < 3; nth++) await Promise.all(Array.from({ length: 10 }, ask));
    const refused = () => lines.slice(before).filter(({ msg }) => msg === "refused");
    await soon(() => expect(refused().reduce((sum, { count = 1 }) => sum + count, 0)).toBe(30));
    expect(refused().length).toBeLessThan(30);
    expect(refused()[0]).toMatchObject({
      level: 30,
      code: "invalid_token",
      operation: "users.me.get",
      network: "127.0.0.1",
    });
    expect(JSON.stringify(refused())).not.toContain("prt_");
  });
});

describe("the figures", () => {
  test("are there without a request log, and count whoever went away", { tags: "long" }, async () => {
    const quiet = await startTestServer({ metrics: { host: "127.0.0.1", port: 0 } });
    try {
      const bob = await quiet.join("bob");
      await bob.request("GET /me");
      const text = async () => (await fetch(`${quiet.metricsUrl}/metrics`)).text();
      await soon(async () => expect(await text()).toContain('operation="users.me.get"'));
      await publish(bob, "slow");
      const { headers } = await bob.request("GET /prompts/bob/slow?view=version&label=latest");
      const stop = new AbortController();
      const waiting = fetch(`${quiet.url}/api/v1/prompts/bob/slow?view=version&label=latest`, {
        signal: stop.signal,
        headers: { "if-none-match": headers.get("etag") ?? "", prefer: "wait=60" },
      }).catch(() => {});
      await soon(async () => expect(await text()).toContain("promptreg_waiting_reads 1"));
      stop.abort();
      await waiting;
      await soon(async () => expect(await text()).toMatch(/waits_total\{.*"aborted"\} 1/));
    } finally {
      await quiet.stop();
    }
  });

  test("tell jobs that failed from those that did not, and how many waited for a connection that never came", async () => {
    const { metrics } = server.context;
    const events = new EventEmitter();
    metrics?.followJobs(events);
    for (const [id, end] of [
      ["1", "job:success"],
      ["2", "job:error"],
    ] as const) {
      events.emit("job:start", { job: { id, task_identifier: "mail" } });
      events.emit(end, { job: { id, task_identifier: "mail" } });
    }
    for (const outcome of ["succeeded", "failed"])
      expect(await figure(`promptreg_job_duration_seconds_count{task="mail",outcome="${outcome}"}`)).toBe(1);
    const watch = { running: 0, waiting: 0, onBegin: () => {} };
    const { promise, reject } = Promise.withResolvers<never>();
    const pool = guardTransactions({ begin: () => promise } as never, watch);
    const begun = pool.begin(async () => {});
    expect(watch).toMatchObject({ running: 0, waiting: 1 });
    reject(new Error("no connection"));
    await expect(begun).rejects.toThrow("no connection");
    expect(watch).toMatchObject({ running: 0, waiting: 0 });
  });

  test("have the delay of a delivery from its first attempt alone", async () => {
    const { metrics } = server.context;
    metrics?.countAttempt({ attempt: 1, outcome: "failed", afterSeconds: 2 });
    metrics?.countAttempt({ attempt: 2, outcome: "succeeded", afterSeconds: null });
    expect(await figure("promptreg_delivery_delay_seconds_count")).toBe(1);
    expect(await figure("promptreg_delivery_delay_seconds_sum")).toBe(2);
  });

  test("count requests by operation and status, and errors by code", async () => {
    const ok =
      'http_server_request_duration_seconds_count{operation="prompts.get",http_response_status_code="200"}';
    const before = (await figure(ok)) || 0;
    await alice.request("GET /prompts/alice/greeting");
    await alice.request("GET /prompts/alice/none");
    await soon(async () => expect(await figure(ok)).toBe(before + 1));
    expect(await figure('promptreg_errors_total{code="not_found"}')).toBeGreaterThan(0);
    expect(await figure("promptreg_database_up")).toBe(1);
    expect(await figure('promptreg_transactions{state="running"}')).toBe(0);
    expect(await figure('promptreg_transactions{state="waiting"}')).toBe(0);
    expect(await figure("db_client_connection_wait_time_seconds_count")).toBeGreaterThan(0);
    expect(await figure("promptreg_build_info")).toBe(1);
  });

  test("do not take the time of a read that waits for that of a request", async () => {
    const { headers } = await alice.request("GET /prompts/alice/greeting?view=version&label=latest");
    const etag = headers.get("etag") ?? "";
    const waiting = alice.request("GET /prompts/alice/greeting?view=version&label=latest", {
      headers: { "if-none-match": etag, prefer: "wait=60" },
    });
    await soon(async () => expect(await figure("promptreg_waiting_reads")).toBe(1));
    await commit(alice, "greeting", "Another text");
    expect((await waiting).status).toBe(200);
    const ended = 'promptreg_waits_total{operation="prompts.get",http_response_status_code="200"}';
    await soon(async () => expect(await figure(ended)).toBe(1));
  });

  test("are to be had beside the health of the process, and nowhere else", async () => {
    const statusOf = async (path: string) => (await fetch(`${server.metricsUrl}${path}`)).status;
    expect([await statusOf("/healthz"), await statusOf("/readyz"), await statusOf("/api/v1/me")]).toEqual([
      200, 200, 404,
    ]);
    expect((await fetch(`${server.url}/metrics`, { redirect: "manual" })).status).toBe(302);
    server.context.readiness.isStopping = true;
    try {
      const response = await fetch(`${server.metricsUrl}/readyz`);
      expect([response.status, (await response.json()).error.message]).toEqual([
        503,
        "This process is about to stop. Send requests to another.",
      ]);
    } finally {
      server.context.readiness.isStopping = false;
    }
  });
});

test("the figures are what was counted, in seconds and bytes", async () => {
  const read = { waitingReads: () => 3, isDatabaseUp: () => false, dataDir: import.meta.dirname };
  const replicaLags = () => [{ place: "standby.example:5432", seconds: 1.5 }];
  const metrics = openMetrics({ ...read, replicaLags });
  metrics.countBatch(7);
  metrics.countMedia("sent", 10);
  metrics.countMedia("received", 4);
  metrics.countAttempt({ attempt: 2, outcome: "failed", afterSeconds: null });
  const nothing = { count: 0, ageSeconds: 0 };
  const jobs = { count: 2, ageSeconds: 61 };
  metrics.setBacklog({ jobs, events: nothing, deliveries: nothing, media: nothing, purges: nothing });
  const access = { operation: null, requestId: null, caller: null, code: "not_found", hasWaited: false };
  metrics.countRequest(access, { status: null, seconds: 2 });
  metrics.countRequest({ ...access, code: null, hasWaited: true }, { status: 304, seconds: 2 });
  const events = new EventEmitter();
  metrics.followJobs(events);
  const clock = vi.spyOn(performance, "now").mockReturnValue(1_000);
  const job = { id: "1", task_identifier: "mail" };
  events.emit("job:start", { job });
  clock.mockReturnValue(3_500);
  events.emit("job:success", { job });
  const begin = (work: (tx: unknown) => unknown) => {
    clock.mockReturnValue(3_750);
    return Promise.resolve(work(() => {}));
  };
  await guardTransactions({ begin } as never, metrics.transactions).begin(async () => {
    expect(metrics.transactions).toMatchObject({ running: 1, waiting: 0 });
  });
  clock.mockRestore();
  expect(metrics.transactions).toMatchObject({ running: 0, waiting: 0 });
  const { text } = await metrics.print();
  expect(text.split("\n")).toEqual(
    expect.arrayContaining([
      "promptreg_waiting_reads 3",
      'promptreg_replica_lag_seconds{replica="standby.example:5432"} 1.5',
      "promptreg_database_up 0",
      "promptreg_read_batch_size_sum 7",
      'promptreg_media_bytes_total{direction="sent"} 10',
      'promptreg_media_bytes_total{direction="received"} 4',
      'promptreg_delivery_attempts_total{attempt="2",outcome="failed"} 1',
      "promptreg_delivery_delay_seconds_count 0",
      'promptreg_backlog{of="jobs"} 2',
      'promptreg_backlog_age_seconds{of="jobs"} 61',
      'http_server_request_duration_seconds_sum{operation="none",http_response_status_code="aborted"} 2',
      'promptreg_waits_total{operation="none",http_response_status_code="304"} 1',
      'promptreg_errors_total{code="not_found"} 1',
      'promptreg_job_duration_seconds_sum{task="mail",outcome="succeeded"} 2.5',
      "db_client_connection_wait_time_seconds_sum 0.25",
    ]),
  );
  expect(text).toMatch(/^promptreg_data_free_bytes [1-9]/m);
  const nowhere = openMetrics({ ...read, replicaLags, dataDir: "/nowhere" });
  expect((await nowhere.print()).text).not.toMatch(/^promptreg_data_free_bytes [1-9]/m);
});

test("workers that fall behind are logged once, and once when they have caught up", () => {
  const log = { warn: vi.fn<() => void>(), info: vi.fn<() => void>() };
  const watch = watchBacklog(log as never);
  const nothing = { count: 0, ageSeconds: 0 };
  const backlog = (ageSeconds: number) => ({
    jobs: nothing,
    events: { count: 7, ageSeconds },
    // A receiver that is slow is no worker that is.
    deliveries: { count: 900, ageSeconds: 9_000 },
    // Nor is a store, or a CDN.
    media: { count: 2, ageSeconds: 9_000 },
    purges: { count: 30, ageSeconds: 9_000 },
  });
  for (const age of [0, 59, 60, 600, 59, 0]) watch(backlog(age));
  expect(log.warn.mock.calls).toEqual([
    [{ seconds: 60, jobs: 0, events: 7 }, expect.stringMatching("^workers fall behind")],
  ]);
  expect(log.info.mock.calls).toEqual([[{ seconds: 59, jobs: 0, events: 7 }, "workers have caught up"]]);
});

test("the dashboard and the alarms of the documents ask for metrics and labels that there are", async () => {
  const docs = new URL("../../../../../docs/", import.meta.url);
  const dashboard = JSON.parse(readFileSync(new URL("dashboard.json", docs), "utf8"));
  const rules = readFileSync(new URL("deployment.md", docs), "utf8").matchAll(/expr: (.*)/g);
  const queries = [
    ...dashboard.panels.flatMap(({ targets }: any) => targets.map(({ expr }: any) => expr as string)),
    ...[...rules].map(([, expr = ""]) => expr),
  ];
  expect(queries.length).toBeGreaterThan(20);
  const text = await figures();
  for (const query of queries)
    for (const [name] of query.matchAll(/\b(?:promptreg|http|db|process)_\w+(?=[[{)])/g))
      if (!/^promptreg_(backlog|job|delivery)/.test(name))
        expect([query, text.includes(name)]).toEqual([query, true]);
});

test("the backlog is what is due, and for how long the oldest has been", async () => {
  const { sql } = server;
  await server.workOff();
  await server.setClock("2032-01-01T00:00:00Z");
  const backlog = async (hasCdn = true) => {
    const found = Object.entries(await selectBacklog(sql, { hasCdn }));
    return Object.fromEntries(
      found
        .filter(([, { count }]) => count > 0)
        .map(([of, { count, ageSeconds }]) => [of, [count, ageSeconds]]),
    );
  };
  await sql`delete from purges`;
  await sql`delete from graphile_worker._private_jobs`;
  expect(await backlog()).toEqual({});
  expect((await selectBacklog(sql, { hasCdn: true })).jobs).toEqual({ count: 0, ageSeconds: 0 });
  const url = "http://127.0.0.1:1/";
  await alice.request("POST /webhooks", { body: { url } });
  await alice.request("POST /media", { body: uploadOf(png()) });
  await publish(alice, "counted");
  await alice.request("PATCH /prompts/alice/counted", { body: { visibility: "private" } });
  await sql`delete from graphile_worker._private_jobs`;
  for (const seconds of [-600, 600])
    await sql`select graphile_worker.add_job('none', run_at := now() + make_interval(secs => ${seconds}))`;
  await server.setClock("2032-01-01T00:01:00Z");
  const { jobs = [], ...others } = await backlog();
  expect([jobs[0], Math.round((jobs[1] ?? 0) / 600)]).toEqual([1, 1]);
  expect(others).toEqual({ events: [1, 60], media: [1, 60], purges: [1, 60] });
  expect(await backlog(false)).not.toHaveProperty("purges");
  await fanOut(server);
  expect(await backlog()).toMatchObject({ deliveries: [1, 0] });
  await server.setClock("2032-01-01T00:02:00Z");
  expect(await backlog()).toMatchObject({ deliveries: [1, 60] });
  expect(await backlog()).not.toHaveProperty("events");
  for (const change of ["next_attempt_at = clock() + interval '1 second'", "completed_at = clock()"]) {
    await sql.unsafe(`update deliveries set ${change}`);
    expect(await backlog()).not.toHaveProperty("deliveries");
  }
  await sql`update media set deleted_at = clock()`;
  expect(await backlog()).not.toHaveProperty("media");
});
