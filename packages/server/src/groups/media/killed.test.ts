import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isThorough } from "../../../../core/src/testing/growth.ts";
import {
  createDatabase,
  startTestServer,
  testSecret,
  type TestDatabase,
  type TestServer,
} from "../../../test/harness.ts";
import { until } from "../../../test/waiting.ts";
import { png, uploadOf } from "../../../test/media.ts";
import { cleanUp, newDataDir, start } from "../../../test/process.ts";
import { exchange } from "../../../test/requests.ts";
import { FolderStore } from "../../kernel/store/folder-store.ts";
import { sweepFiles } from "../../kernel/store/stored-files.ts";

let database: TestDatabase;
/** Looks at the same database, and has another store. */
let looker: TestServer;

beforeAll(async () => {
  database = await createDatabase();
  looker = await startTestServer({ database });
});
afterAll(async () => {
  await looker.stop();
  await database.drop();
  await cleanUp();
});

const kills = isThorough ? 60 : 1;

// Steps between which nobody can come by chance are those of `stored-files.test.ts`.
test("servers that are killed while they store, read and delete media leave no row without bytes, and no bytes without a row", async () => {
  const { sql } = looker;
  const { token } = await looker.join("alice");
  const dataDir = newDataDir();
  const env = {
    DATABASE_URL: database.url,
    PROMPTREG_SECRET: testSecret,
    PROMPTREG_DATA_DIR: dataDir,
  };
  for (let kill = 0; kill < kills; kill++) {
    const server = await start(["serve"], { ...env, RATE_LIMITS: "off" });
    const request = (route: string, body?: unknown) => exchange(server.url, route, { token, body });
    const over = new AbortController();
    let kept = 0;
    const work = async (nth: number) => {
      while (!over.signal.aborted) {
        const { json } = await request("POST /media", uploadOf(png({ width: 10 + nth })));
        if (nth % 2 === 0) await delay(300 * Math.random());
        if (nth % 3 === 0 && json?.id) await request(`DELETE /media/${json.id}`);
        else if (json?.id) kept += 1;
      }
    };
    const workers = Array.from({ length: 6 }, (_, nth) => work(nth).catch(() => {}));
    // A slow machine has stored nothing for a while.
    await until(() => kept > 1);
    await delay(700 * Math.random());
    await server.stop("SIGKILL");
    over.abort();
    await Promise.all(workers);
  }
  const store = new FolderStore(join(dataDir, "media"));
  const keys = () =>
    readdirSync(store.place, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(store.spoolFolder))
      .map(({ name }) => name)
      .sort();
  const known = async () =>
    (await sql<{ key: string }[]>`select key from stored_files order by key`).map(({ key }) => key);
  const used = await sql<{ key: string }[]>`
    select unnest(array_remove(array[file_key, thumbnail_key], null)) as key from media where deleted_at is null`;
  expect(used.count).toBeGreaterThan(kills);
  expect(keys()).toEqual(expect.arrayContaining(used.map(({ key }) => key)));
  expect(await known()).toEqual(expect.arrayContaining(keys()));
  await looker.setClock(new Date(Date.now() + 3_600_000).toISOString());
  await sweepFiles({ sql, store });
  expect([await known(), keys()]).toEqual([
    used.map(({ key }) => key).sort(),
    used.map(({ key }) => key).sort(),
  ]);
  const [counted] = await sql<{ bytes: number; stored: number }[]>`
    select (select sum(size) from stored_files)::float8 as stored, (
      select sum(value) from (
        select value from counters where name = 'bytes' union all select delta from counter_changes where name = 'bytes') all_bytes
    )::float8 as bytes`;
  expect(counted?.bytes).toBe(counted?.stored);
}, 600_000);
