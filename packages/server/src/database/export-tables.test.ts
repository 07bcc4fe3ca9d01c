import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "../../test/harness.ts";
import { parseDatabaseUrl, pgOptions } from "./connection.ts";
import { listTables } from "./tables.ts";

/** The tables that an export leaves out, each with the reason. */
const left: Record<string, string> = {
  migrations: "the new database has run its own, which the manifest compares",
  leaderboard_scores: "it is empty but within the transaction that counts a board",
  secret_mark: "the new database may be used with another secret, if the first one is lost",
  rate_counts: "requests of the last minute, which may be lost at any time",
};

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createDatabase();
  client = new pg.Client(pgOptions(parseDatabaseUrl(database.url)));
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

test("an export contains every table except those of this list", async () => {
  const { rows } = await client.query<{ name: string }>(`
    select relname::text as name from pg_class
    where relnamespace = 'promptreg'::regnamespace and relkind in ('r', 'p') and not relispartition`);
  const taken = (await listTables(client)).map(({ name }) => name);
  const all = rows.map(({ name }) => name);
  expect([...taken, ...Object.keys(left)].sort()).toEqual(all.sort());
});
