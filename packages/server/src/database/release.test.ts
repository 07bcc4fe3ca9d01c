import { readFileSync } from "node:fs";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "../../test/harness.ts";
import { reasonOf, run } from "../../test/process.ts";
import { release } from "../release.ts";
import { parseDatabaseUrl } from "./connection.ts";
import { migrate, requireMigrated } from "./migrate.ts";

let database: TestDatabase;
let sql: postgres.Sql;
beforeAll(async () => {
  database = await createDatabase();
  sql = postgres(database.url, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

/** As a migration of a later release does. */
const serveFrom = (oldest: string) =>
  sql.unsafe(
    `create or replace function promptreg.oldest_release() returns text language sql as $$ select '${oldest}' $$`,
  );

test("a database that a later release took something away from is refused, with the release to install", {
  tags: "long",
}, async () => {
  const address = parseDatabaseUrl(database.url);
  const sentence =
    `The database works with release 0.10.0 and later ones, and this is ${release}. Install @promptreg/server 0.10.0 or later. ` +
    "To go back to an older release, restore a backup that was made with it.";
  await serveFrom("0.10.0");
  await expect(migrate(address)).rejects.toThrow(sentence);
  await expect(requireMigrated(address)).rejects.toThrow(sentence);
  const env = { DATABASE_URL: database.url, PROMPTREG_SECRET: "a secret of 32 bytes, or of some more" };
  const refused = await run(["serve"], env);
  expect([refused.code, reasonOf(refused)]).toEqual([1, sentence]);
  await serveFrom(release);
  await migrate(address);
  await requireMigrated(address);
});

test("the schema serves the last release, or the one before it", async () => {
  const path = new URL("../../../../prove/releases/releases.json", import.meta.url);
  const releases: { version: string }[] = JSON.parse(readFileSync(path, "utf8"));
  const fresh = await createDatabase();
  const other = postgres(fresh.url, { max: 1 });
  const [row] = await other<{ oldest: string }[]>`select promptreg.oldest_release() as oldest`;
  await other.end();
  await fresh.drop();
  expect(releases.at(-1)?.version).toBe(release);
  expect(releases.slice(-2).map(({ version }) => version)).toContain(row?.oldest);
});
