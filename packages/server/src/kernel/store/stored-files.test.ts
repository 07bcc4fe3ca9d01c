import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { asApiError } from "../failures/as-api-error.ts";
import { selectStorage } from "../changes/account-bytes.ts";
import { closeSpool, openSpool, requireSpace } from "./spool.ts";
import type { Store } from "./store.ts";
import { dropFiles, keepFile, storeFile, sweepFiles } from "./stored-files.ts";

let server: TestServer;
let store: Store;
let alice: Person;

beforeAll(async () => {
  server = await startTestServer();
  ({ store } = server.context);
  alice = await server.join("alice");
});
afterAll(() => server.stop());
beforeEach(() => server.setClock("2030-01-01T00:00:00Z"));

/** The keys under which the store has bytes. */
const keysInStore = () =>
  readdirSync(store.place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort();
const keysInDatabase = async () =>
  (await server.sql<{ key: string }[]>`select key from stored_files order by key`).map(({ key }) => key);

async function withFile<T>(content: string, work: (path: string) => Promise<T>): Promise<T> {
  const folder = await openSpool(store.spoolFolder);
  const path = join(folder, randomUUID());
  writeFileSync(path, content);
  try {
    return await work(path);
  } finally {
    await closeSpool(folder);
  }
}
const put = (content: string, through: Partial<Store> = {}) =>
  withFile(content, (path) =>
    storeFile(
      { sql: server.sql, store: { ...store, put: (...given) => store.put(...given), ...through } },
      { path, size: content.length, sha256: createHash("sha256").update(content).digest("hex") },
    ),
  );
const keep = (key: string, usedBy = "med_1") =>
  server.sql.begin((sql) => keepFile(sql, { key, usedBy, accountId: alice.id }));
const drop = (usedBy = "med_1") => server.sql.begin((sql) => dropFiles(sql, { usedBy, accountId: alice.id }));
const sweep = () => sweepFiles({ sql: server.sql, store });
const bytesOfAlice = async () => (await selectStorage(server.sql, alice.id)).stored;
const later = () => server.setClock("2030-01-01T00:16:00Z");

test("a file that is kept has its bytes until it is dropped, and counts for its account as long", async () => {
  const key = await put("Hello, world");
  await keep(key);
  await expect(keep(key, "med_9")).rejects.toMatchObject({ code: "unavailable" });
  await later();
  await sweep();
  expect((await buffer(await store.get(key))).toString()).toBe("Hello, world");
  expect((await buffer(await store.get(key, { start: 7, end: 9 }))).toString()).toBe("wor");
  expect(await bytesOfAlice()).toBe(12);
  await drop();
  expect(await bytesOfAlice()).toBe(0);
  await sweep();
  expect([await keysInDatabase(), keysInStore()]).toEqual([[], []]);
  await expect(store.get(key)).rejects.toThrow("the store has nothing under");
});

const killed = new Error("killed");
const die = () => Promise.reject(killed);

test.each<[step: string, act: () => Promise<unknown>]>([
  ["before the bytes came", () => put("a", { put: die })],
  ["after the bytes came", () => put("a", { put: (...given) => store.put(...given).then(die) })],
  ["before anything kept the file", () => put("a")],
  [
    "while a transaction kept it",
    async () => {
      const key = await put("a");
      await server.sql.begin(async (sql) => {
        await keepFile(sql, { key, usedBy: "med_2", accountId: alice.id });
        throw killed;
      });
    },
  ],
  [
    "before the bytes of a dropped file went",
    async () => {
      await keep(await put("a"));
      await drop();
      await sweepFiles({ sql: server.sql, store: { ...store, delete: die } });
    },
  ],
  [
    "after its bytes went",
    async () => {
      await keep(await put("a"));
      await drop();
      const through = { ...store, delete: (key: string) => store.delete(key).then(die) };
      await sweepFiles({ sql: server.sql, store: through });
    },
  ],
])("who is killed %s leaves nothing that a sweep does not find", async (_step, act) => {
  await act().catch((error: unknown) => expect(error).toBe(killed));
  expect(await keysInDatabase()).toEqual(expect.arrayContaining(keysInStore()));
  await later();
  await sweep();
  expect([await keysInDatabase(), keysInStore(), await bytesOfAlice()]).toEqual([[], [], 0]);
});

test("a sweep leaves what is on its way", async () => {
  const key = await put("a");
  await server.setClock("2030-01-01T00:14:59Z");
  await sweep();
  await keep(key, "med_3");
  expect(keysInStore()).toEqual([key]);
  await drop("med_3");
});

test("what a sweep has begun to delete cannot be kept any more", async () => {
  const key = await put("a");
  await later();
  const held = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const slow = { ...store, delete: async () => (begun.resolve(), held.promise) };
  const sweeping = sweepFiles({ sql: server.sql, store: slow });
  await begun.promise;
  await expect(keep(key)).rejects.toMatchObject({ code: "unavailable" });
  held.resolve();
  await sweeping;
  await expect(keep(key)).rejects.toMatchObject({ code: "unavailable" });
  await store.delete(key);
});

test("a sweep goes through more files than it takes at once", async () => {
  await server.sql`insert into stored_files (key, size) select 'old-' || n, 1 from generate_series(1, 250) n`;
  await later();
  await sweep();
  expect(await keysInDatabase()).toEqual([]);
});

test("folders that killed processes left in the spool go after an hour", async () => {
  const folders = ["spool-old", "spool-young"].map((name) => join(store.spoolFolder, name));
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  const hours = (count: number) => new Date(Date.now() - count * 3_600_000);
  utimesSync(folders[0]!, hours(1.1), hours(1.1));
  utimesSync(folders[1]!, hours(0.9), hours(0.9));
  // Another path to the same folder, which nobody tidied just now.
  await closeSpool(await openSpool(`${store.spoolFolder}/.`));
  expect(folders.map((folder) => existsSync(folder))).toEqual([false, true]);
  await closeSpool(folders[1]!);
  // Another process may have deleted it meanwhile.
  await closeSpool(folders[1]!);
});

test("a disk without room takes nothing", async () => {
  // A file system that says that it has none.
  const full = existsSync("/proc") ? "/proc" : "/dev";
  await expect(requireSpace(full)).rejects.toMatchObject({ status: 503, code: "unavailable" });
  await expect(requireSpace(server.context.store.spoolFolder)).resolves.toBeUndefined();
  expect(asApiError(Object.assign(new Error("full"), { code: "ENOSPC" })).code).toBe("unavailable");
});

test("nobody else on the machine can read what is stored", async () => {
  const key = await put("a");
  expect(statSync(join(store.place, key.slice(0, 2))).mode & 0o777).toBe(0o700);
  await later();
  await sweep();
});
