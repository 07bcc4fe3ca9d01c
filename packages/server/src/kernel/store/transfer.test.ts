import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createDatabase,
  type Person,
  startTestServer,
  type TestDatabase,
  type TestServer,
} from "../../../test/harness.ts";
import { png, upload } from "../../../test/media.ts";
import { parseDatabaseUrl } from "../../database/connection.ts";
import { exportDatabase, importDatabase, type Manifest } from "../../database/transfer.ts";
import { FolderStore } from "./folder-store.ts";
import type { Store } from "./store.ts";
import { sweepFiles } from "./stored-files.ts";

let server: TestServer;
let alice: Person;
const databases: TestDatabase[] = [];
const folder = mkdtempSync(join(tmpdir(), "promptreg-files-"));

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
});
afterAll(async () => {
  await server.stop();
  for (const database of databases) await database.drop();
  rmSync(folder, { recursive: true });
});

const exportTo = (name: string, through: Partial<Store> = {}) => {
  const { store } = server.context;
  return exportDatabase(parseDatabaseUrl(server.database.url), join(folder, name), {
    release: "1.2.3",
    onTable: () => {},
    store: { ...store, get: (...given) => store.get(...given), ...through },
  });
};
async function importFrom(name: string, manifest: Manifest) {
  const database = await createDatabase();
  databases.push(database);
  const store = new FolderStore(join(folder, `store of ${name}`));
  await importDatabase(parseDatabaseUrl(database.url), join(folder, name), {
    manifest,
    onTable: () => {},
    store,
  });
  return { database, store };
}
const keysIn = (place: string) =>
  readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort();

test("an export has the bytes of media beside the rows, and an import stores them where it is", async () => {
  const id = await upload(server, alice, png());
  await upload(server, alice, "a file", { purpose: "file" });
  const manifest = await exportTo("whole");
  const used = await server.sql<{ key: string; size: number }[]>`
    select key, size::int as size from stored_files where used_by is not null order by key`;
  expect(manifest.media).toEqual({ files: 3, bytes: used.reduce((sum, { size }) => sum + size, 0) });
  const modeOf = (path: string) => statSync(join(folder, "whole/media", path)).mode & 0o777;
  expect([modeOf(""), modeOf(used[0]?.key ?? "")]).toEqual([0o700, 0o600]);
  const { database, store } = await importFrom("whole", manifest);
  expect(keysIn(store.place)).toEqual(used.map(({ key }) => key));
  const other = await startTestServer({ database });
  other.context.store = store;
  const { token } = alice;
  const { url, sha256 } = (await other.anonymous(`GET /media/${id}`, { token })).json;
  expect((await server.anonymous(`GET /media/${id}`, { token })).json.sha256).toBe(sha256);
  expect((await fetch(url)).status).toBe(200);
  await other.stop();
});

test("what is deleted while an export goes on is in it, and goes afterwards", async () => {
  const id = await upload(server, alice, "short-lived", { purpose: "file" });
  const { store, sql } = server.context;
  let isDeleted = false;
  const get: Store["get"] = async (...given) => {
    if (!isDeleted) {
      isDeleted = true;
      expect((await alice.request(`DELETE /media/${id}`)).status).toBe(204);
      await sweepFiles({ sql, store });
    }
    return store.get(...given);
  };
  const { media } = await exportTo("meanwhile", { get });
  expect(media.files).toBe(4);
  expect(keysIn(join(folder, "meanwhile/media"))).toHaveLength(4);
  await sweepFiles({ sql, store });
  const [gone] = await sql`select count(*)::int as count from stored_files where doomed_at is not null`;
  expect(gone?.["count"]).toBe(0);
});

test("an import of a damaged file fails, and leaves the database empty", { tags: "long" }, async () => {
  const manifest = await exportTo("damaged");
  const [key = ""] = keysIn(join(folder, "damaged/media"));
  truncateSync(join(folder, "damaged/media", key), 1);
  await expect(importFrom("damaged", manifest)).rejects.toThrow(/1 bytes instead of/);
  rmSync(join(folder, "damaged/media", key));
  await expect(importFrom("damaged", manifest)).rejects.toThrow(
    /A file of media could not be imported.*ENOENT/,
  );
  const looker = await startTestServer({ database: databases.at(-1)! });
  expect((await looker.sql`select from users`).count).toBe(0);
  await looker.stop();
});

test("an export whose store lacks a file fails, and names the media", async () => {
  const id = await upload(server, alice, "lost", { purpose: "file" });
  const [file] = await server.sql<{ key: string }[]>`select key from stored_files where used_by = ${id}`;
  await server.context.store.delete(file?.key ?? "");
  await expect(exportTo("lacking")).rejects.toThrow(
    `A file of media could not be exported: the store has nothing under ${file?.key}, which ${id} uses. Put it back,`,
  );
});
