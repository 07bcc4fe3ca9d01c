import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../../test/harness.ts";
import { until } from "../../../../test/waiting.ts";
import { takeImport } from "../work.sql.ts";
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

const many = Array.from({ length: 300 }, (_, n) => ({ path: `prompts/p${n}.md`, content: `Say ${n}.` }));
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
  const [a1, a2] = await of(alice, 2);
  const [b1, b2] = await of(bob, 2);
  const [c1] = await of(carol, 1);
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
});

test("a detection that takes too long fails the import, with a sentence", async () => {
  const id = await create();
  await detectImport(server.context, await take(), { signal: noSignal, timeoutMs: 50 });
  expect(await get(id)).toMatchObject({
    status: "failed",
    error: expect.stringMatching(/^Looking for prompts took too long/),
  });
});

test("a detection that needs too much memory fails the import, and nothing else", async () => {
  const id = await create();
  await detectImport(server.context, await take(), { signal: noSignal, heapMb: 4 });
  expect(await get(id)).toMatchObject({
    status: "failed",
    error: expect.stringMatching(/needs more memory/),
  });
});

test("a cancellation ends a detection, and nothing of it stays", async () => {
  const id = await create();
  const held = await take();
  const running = detectImport(server.context, held, { signal: noSignal });
  await until(async () => (await server.sql`select from import_items where import_id = ${id}`).count > 0);
  expect((await alice.request(`POST /imports/${id}/cancel`)).status).toBe(200);
  await running;
  expect(await get(id)).toMatchObject({ status: "cancelled", items: [] });
  expect((await server.sql`select from import_items where import_id = ${id}`).count).toBe(0);
});

test("a process that stops leaves the import to others, who begin anew", async () => {
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

test("what comes from a process that lost its lease is not written", async () => {
  const id = await create();
  const late = await take();
  await server.sql`update imports set leased_until = clock() where id = ${id}`;
  await take();
  await detectImport(server.context, late, { signal: noSignal });
  expect(await get(id)).toMatchObject({ status: "detecting", items: [] });
  await alice.request(`POST /imports/${id}/cancel`);
});

test("nobody takes an import that somebody works on", async () => {
  const id = await create();
  await take();
  expect(
    await takeImport(server.sql, { statuses: ["queued", "detecting"], token: crypto.randomUUID() }),
  ).toBe(null);
  await alice.request(`POST /imports/${id}/cancel`);
});

test("no folder is left", () => {
  expect(readdirSync(ownFolder)).toEqual([]);
});
