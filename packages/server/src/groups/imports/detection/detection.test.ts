import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../../test/harness.ts";
import { until } from "../../../../test/waiting.ts";
import { workOnImports } from "../work.ts";
import { recordWork, releaseImport, renewLease, requeueLost, takeImport } from "../work.sql.ts";
import { detectImport } from "./detect.ts";

let server: TestServer;
let alice: Person;

/** For this process alone. */
const ownFolder = mkdtempSync(join(tmpdir(), "promptreg-test-"));
const usual = process.env["TMPDIR"];

beforeAll(async () => {
  process.env["TMPDIR"] = ownFolder;
  server = await startTestServer();
  alice = await server.join("alice");
});
afterAll(async () => {
  await server.stop();
  if (usual === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = usual;
  rmSync(ownFolder, { recursive: true });
});

/** More than what is read without a process of its own. */
const many = Array.from({ length: 300 }, (_, n) => ({
  path: `prompts/p${n}.md`,
  content: `Say ${n} ${"and more ".repeat(10)}.`,
}));
const create = async () =>
  (await alice.request("POST /imports", { body: { source: { type: "files", files: many } } })).json.id;
const get = async (id: string) => (await alice.request(`GET /imports/${id}`)).json;
/** Takes the import as a worker does. */
async function take(token = crypto.randomUUID()) {
  const held = await takeImport(server.sql, { statuses: ["queued", "detecting"], token });
  if (held === null) throw new Error("there is no import with work");
  return held;
}
const noSignal = new AbortController().signal;

test("accounts take turns, one import of each at a time", async () => {
  const [bob, carol] = [await server.join("bob"), await server.join("carol")];
  const paste = { body: { source: { type: "paste", text: "Write." } } };
  const of = async (person: Person, count: number) => {
    const ids: string[] = [];
    for (let n = 0; n < count; n++) ids.push((await person.request("POST /imports", paste)).json.id);
    return ids;
  };
  const [a1] = await of(alice, 1);
  const [b1, b2] = await of(bob, 2);
  const [c1] = await of(carol, 1);
  const [a2, a3] = await of(alice, 2);
  const next = async () => (await take()).id;
  const end = (id = "") =>
    server.sql`update imports set status = 'cancelled', lease_token = null, leased_until = null where id = ${id}`;
  expect([await next(), await next(), await next()]).toEqual([a1, b1, c1]);
  await expect(take()).rejects.toThrow("no import with work");
  await end(b1);
  expect(await next()).toBe(b2);
  const [c2] = await of(carol, 1);
  for (const id of [c1, a1]) await end(id);
  expect([await next(), await next()]).toEqual([a2, c2]);
  for (const id of [a2, b2, c2]) await end(id);
  // Who had the first turn of all may have had the last one too.
  const [b3] = await of(bob, 1);
  expect([await next(), await next()]).toEqual([b3, a3]);
  for (const id of [b3, a3]) await end(id);
});

test("an import that is committed keeps no other one of its account waiting for its detection", async () => {
  const [first, second] = [await create(), await create()];
  expect((await take()).id).toBe(first);
  await server.sql`update imports set status = 'committing' where id = ${first}`;
  expect((await take()).id).toBe(second);
  for (const id of [first, second])
    await server.sql`update imports set status = 'cancelled', lease_token = null, leased_until = null where id = ${id}`;
});

test("a process keeps its import by renewing the lease, until it has lost it", async () => {
  const [id, other] = [await create(), await create()];
  const held = await take();
  await server.sql`update imports set leased_until = clock() + interval '1 second' where id = ${id}`;
  expect(await renewLease(server.sql, held)).toBe(true);
  const leased = await server.sql`select id from imports where leased_until > clock() + interval '2 seconds'`;
  expect(leased).toEqual([{ id }]);
  expect(await renewLease(server.sql, { ...held, token: crypto.randomUUID() })).toBe(false);
  for (const one of [id, other]) await alice.request(`POST /imports/${one}/cancel`);
});

test("the sweep says of an import whose worker was killed that it is queued, though its account has to wait", async () => {
  const [id, held] = [await create(), await create()];
  for (const [one, seconds] of [
    [id, -1],
    [held, 60],
  ])
    await server.sql`
      update imports set status = 'detecting', lease_token = gen_random_uuid(),
        leased_until = clock() + make_interval(secs => ${Number(seconds)}) where id = ${one}`;
  const work = workOnImports(server.context);
  await work.sweep?.({ overdueSeconds: 0 });
  await work.stop?.();
  expect([(await get(id)).status, (await get(held)).status]).toEqual(["queued", "detecting"]);
  for (const one of [id, held]) await alice.request(`POST /imports/${one}/cancel`);
});

test("the account that used least in the last hour comes first", async () => {
  const [dave, erin] = [await server.join("dave"), await server.join("erin")];
  const paste = { body: { source: { type: "paste", text: "Write." } } };
  const ids: string[] = [];
  for (const person of [dave, dave, erin, erin])
    ids.push((await person.request("POST /imports", paste)).json.id);
  const [d1, d2, e1, e2] = ids;
  const end = (id = "") =>
    server.sql`update imports set status = 'cancelled', lease_token = null, leased_until = null where id = ${id}`;
  for (const [one, ms] of [
    [await take(), 200],
    [await take(), 100],
  ] as const) {
    await recordWork(server.sql, one, ms);
    expect([one.workedMs, one.usedMs]).toEqual([ms, ms]);
    await end(one.id);
  }
  const next = await take();
  expect([next.id, next.usedMs]).toEqual([e2, 100]);
  const below = (belowMs: number) =>
    takeImport(server.sql, { statuses: ["queued"], token: crypto.randomUUID(), belowMs });
  expect(await below(200)).toBe(null);
  expect(await below(201)).toMatchObject({ id: d2, usedMs: 200 });
  await server.sql`update imports set status = 'queued', lease_token = null, leased_until = null where id = ${d2 ?? ""}`;
  await server.sql`update imports set taken_at = clock() - interval '61 minutes' where id = ${d1 ?? ""}`;
  expect(await take()).toMatchObject({ id: d2, usedMs: 0 });
  for (const id of [d2, e1, e2]) await end(id);
});

test("an account that used minutes of the last hour has to wait", async () => {
  const paste = { body: { source: { type: "paste", text: "Write." } } };
  const { id: first } = (await alice.request("POST /imports", paste)).json;
  await server.sql`update imports set worked_ms = 300000, taken_at = clock() where id = ${first}`;
  await detectImport(server.context, await take(), { signal: noSignal });
  expect((await get(first)).status).toBe("ready");
  const id = await create();
  await server.sql`update imports set worked_ms = 300001 where id = ${first}`;
  await detectImport(server.context, await take(), { signal: noSignal });
  expect(await get(id)).toMatchObject({
    status: "failed",
    error: "Your imports used 5 minutes of the server in the last hour. Try again later.",
  });
  await server.sql`update imports set worked_ms = 0 where id = ${first}`;
});

test("what a detection used is kept with the import", { tags: "long" }, async () => {
  const id = await create();
  await detectImport(server.context, await take(), { signal: noSignal });
  const [row] = await server.sql<{ ms: number }[]>`select worked_ms as ms from imports where id = ${id}`;
  expect(row?.ms).toBeGreaterThan(0);
});

test("a short text needs no process, and no memory of one", async () => {
  const paste = { body: { source: { type: "paste", text: "Write about {{city}}." } } };
  const { id } = (await alice.request("POST /imports", paste)).json;
  await detectImport(server.context, await take(), { signal: noSignal, heapMb: 4 });
  expect(await get(id)).toMatchObject({ status: "ready", counts: { detected: 1 } });
});

test("who comes with little does not wait for those who came before with much", {
  tags: "long",
}, async () => {
  const text = Array.from({ length: 20_000 }, (_, n) => `word${n}`).join(" ");
  const files = Array.from({ length: 70 }, (_, n) => ({ path: `prompts/p${n}.md`, content: `${n} ${text}` }));
  const finished: string[] = [];
  const detecting: Promise<unknown>[] = [];
  const begin = async (person: Person, wanted: typeof files) => {
    await person.request("POST /imports", { body: { source: { type: "files", files: wanted } } });
    const held = await take();
    const work = detectImport(server.context, held, { signal: noSignal });
    detecting.push(work.then(() => finished.push(held.userId)));
    return held;
  };
  const ids: string[] = [];
  for (const name of ["faye", "gus", "hana"]) ids.push((await begin(await server.join(name), files)).id);
  const worked = () => server.sql`select from imports where id = any (${ids}) and worked_ms > 0`;
  await until(async () => (await worked()).count === ids.length);
  const ines = await server.join("ines");
  const { userId } = await begin(ines, many);
  await Promise.all(detecting);
  expect(finished[0]).toBe(userId);
});

test("a detection that takes too long fails the import, with a sentence", async () => {
  const id = await create();
  await detectImport(server.context, await take(), {
    signal: noSignal,
    limitsMs: { download: 60_000, work: 50 },
  });
  expect(await get(id)).toMatchObject({
    status: "failed",
    error: expect.stringMatching(/^Looking for prompts took too long/),
  });
});

test("what a detection used before it was interrupted counts", async () => {
  const id = await create();
  await server.sql`update imports set worked_ms = 60000 where id = ${id}`;
  await detectImport(server.context, await take(), { signal: noSignal });
  expect(await get(id)).toMatchObject({ status: "failed", error: expect.stringMatching(/took too long/) });
  await server.sql`update imports set worked_ms = 0 where id = ${id}`;
});

test("a detection that needs too much memory fails the import, and nothing else", async () => {
  const id = await create();
  await detectImport(server.context, await take(), { signal: noSignal, heapMb: 4 });
  expect(await get(id)).toMatchObject({
    status: "failed",
    error: expect.stringMatching(/needs more memory/),
  });
});

test("a cancellation ends a detection, and nothing of it stays", { tags: "long" }, async () => {
  const id = await create();
  const held = await take();
  const running = detectImport(server.context, held, { signal: noSignal });
  await until(async () => (await server.sql`select from import_items where import_id = ${id}`).count > 0);
  expect((await alice.request(`POST /imports/${id}/cancel`)).status).toBe(200);
  await running;
  expect(await get(id)).toMatchObject({ status: "cancelled", items: [] });
  expect((await server.sql`select from import_items where import_id = ${id}`).count).toBe(0);
});

test("a process that stops leaves the import to others, who begin anew", { tags: "long" }, async () => {
  const id = await create();
  const stopping = new AbortController();
  const running = detectImport(server.context, await take(), { signal: stopping.signal });
  await until(async () => (await server.sql`select from import_items where import_id = ${id}`).count > 0);
  stopping.abort();
  await running;
  expect((await get(id)).status).toBe("detecting");
  await server.sql`update imports set leased_until = clock() where id = ${id}`;
  await detectImport(server.context, await take(), { signal: noSignal });
  expect(await get(id)).toMatchObject({ status: "ready", counts: { detected: 300 } });
});

test("an import whose worker was killed says that it is queued, and is found from the beginning", {
  tags: "long",
}, async () => {
  const id = await create();
  const held = await take();
  const writing = detectImport(server.context, held, { signal: noSignal });
  await until(async () => (await get(id)).counts.detected > 0);
  await server.sql`update imports set leased_until = clock() where id = ${id}`;
  await requeueLost(server.sql);
  await writing;
  expect(await get(id)).toMatchObject({ status: "queued", counts: { detected: 0 } });
  await detectImport(server.context, await take(), { signal: noSignal });
  expect(await get(id)).toMatchObject({ status: "ready", counts: { detected: 300 } });
});

test("what comes from a process that lost its lease is not written", { tags: "long" }, async () => {
  const id = await create();
  const late = await take();
  await server.sql`update imports set leased_until = clock() where id = ${id}`;
  await take();
  await detectImport(server.context, late, { signal: noSignal });
  expect(await get(id)).toMatchObject({ status: "detecting", items: [] });
  await alice.request(`POST /imports/${id}/cancel`);
});

test("a process that lost its lease does not end the import of another one, though it found nothing", {
  tags: "long",
}, async () => {
  const files = [{ path: "notes.md", content: "x".repeat(20_000) }];
  const { id } = (await alice.request("POST /imports", { body: { source: { type: "files", files } } })).json;
  const late = await take();
  await server.sql`update imports set leased_until = clock() where id = ${id}`;
  await take();
  await detectImport(server.context, late, { signal: noSignal });
  expect(await get(id)).toMatchObject({ status: "detecting" });
  await alice.request(`POST /imports/${id}/cancel`);
});

test("nobody takes an import that somebody works on, or is about to", async () => {
  const id = await create();
  const statuses = ["queued", "detecting"] as const;
  const token = crypto.randomUUID();
  await server.sql.begin(async (holder) => {
    await holder`select from imports where id = ${id} for no key update`;
    await server.sql.begin(async (sql) => {
      await sql`set local lock_timeout = '1s'`;
      expect(await takeImport(sql, { statuses, token })).toBe(null);
    });
  });
  await take();
  await requeueLost(server.sql);
  expect((await get(id)).status).toBe("detecting");
  expect(await takeImport(server.sql, { statuses, token })).toBe(null);
  await alice.request(`POST /imports/${id}/cancel`);
});

test("an import on which work broke off is taken again after a pause", async () => {
  const id = await create();
  await releaseImport(server.sql, await take(), { pauseSeconds: 10, isAttempt: true });
  await expect(take()).rejects.toThrow("there is no import with work");
  const other = await create();
  // Others of the account do not wait for it.
  expect(await take()).toMatchObject({ id: other });
  await alice.request(`POST /imports/${other}/cancel`);
  await server.sql`update imports set leased_until = clock() where id = ${id}`;
  expect(await take()).toMatchObject({ id, attempts: 2 });
  await alice.request(`POST /imports/${id}/cancel`);
});

test("a lease ends at its time, as does the hour in which work counts", async () => {
  const at = (seconds: number) =>
    server.setClock(new Date(Date.UTC(2030, 0, 1, 0, 0, seconds)).toISOString());
  await at(0);
  const id = await create();
  await recordWork(server.sql, await take(), 100);
  await at(10);
  expect(await take()).toMatchObject({ id, usedMs: 100 });
  await at(20);
  await requeueLost(server.sql);
  expect((await get(id)).status).toBe("queued");
  await take();
  await at(20 + 3_600);
  const next = await create();
  await alice.request(`POST /imports/${id}/cancel`);
  await server.sql`update imports set taken_at = clock() - interval '1 hour' where id = ${id}`;
  expect(await take()).toMatchObject({ id: next, usedMs: 0 });
  await alice.request(`POST /imports/${next}/cancel`);
});

test("no folder is left", () => {
  expect(readdirSync(ownFolder)).toEqual([]);
});
