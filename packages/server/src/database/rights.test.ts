import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createDatabase, startTestServer, type TestDatabase, type TestServer } from "../../test/harness.ts";
import { publish } from "../../test/prompts.ts";
import { parseDatabaseUrl } from "./connection.ts";
import { migrate } from "./migrate.ts";
import { connect } from "./open.ts";

let database: TestDatabase;
let owner: postgres.Sql;
let server: TestServer | undefined;

beforeEach(async () => {
  database = await createDatabase({ isEmpty: true });
  owner = connect(parseDatabaseUrl(database.url));
});
afterEach(async () => {
  await server?.stop();
  server = undefined;
  await owner.end();
  await database.drop();
});

/** Everything that needs rights: requests, jobs, housekeeping. */
async function use(url: string): Promise<void> {
  server = await startTestServer({ database: { url, drop: async () => {} } });
  const alice = await server.join("alice");
  const { ref } = await publish(alice, "greeting", { visibility: "public" });
  const { json } = await server.anonymous("GET /search?q=greeting");
  expect(JSON.stringify(json)).toContain(ref);
  await server.workOff();
  expect(await server.sql`select from events where fanned_out_at is null`).toHaveLength(0);
}

describe("a login that does not own the tables", () => {
  test("is told what it lacks, and then serves and works without creating anything", {
    tags: "long",
  }, async () => {
    await migrate(parseDatabaseUrl(database.url));
    const role = `runtime_${randomUUID().slice(0, 8)}`;
    await owner.unsafe(`create role ${role} login password 'of-a-test'`);
    const url = Object.assign(new URL(database.url), { username: role, password: "of-a-test" }).href;
    const refusal = await startTestServer({ database: { url, drop: async () => {} } }).then(
      () => "",
      (error: Error) => error.message,
    );
    const [first, ...statements] = refusal.split("\n");
    expect(first).toContain(`The login ${role} of DATABASE_URL lacks rights.`);
    for (const statement of statements) await owner.unsafe(statement);
    await use(url);
    const own = connect(parseDatabaseUrl(url));
    await expect(own`create table mine ()`).rejects.toThrow("permission denied");
    // Days to come, of which each has a partition of its own.
    await owner`drop table ${owner(`events_${await dayAhead()}`)}`;
    await server?.workOff();
    const [made] = await owner`select to_regclass(${`events_${await dayAhead()}`}) is not null as "isThere"`;
    expect(made?.["isThere"]).toBe(true);
    await own`select analyze_table('versions', false)`;
    const [analyzed] = await owner`select last_analyze from pg_stat_all_tables where relname = 'versions'`;
    expect(analyzed?.["last_analyze"]).not.toBeNull();
    await own.end();
    await server?.stop();
    server = undefined;
    await owner.unsafe(`drop owned by ${role}; drop role ${role}`);
  });

  const dayAhead = async () => {
    const [row] = await owner<{ day: string }[]>`select to_char(clock()::date + 5, 'YYYYMMDD') as day`;
    return row?.day ?? "";
  };

  test("of somebody else can call nothing that only owners may do", async () => {
    await migrate(parseDatabaseUrl(database.url));
    const role = `stranger_${randomUUID().slice(0, 8)}`;
    await owner.unsafe(`create role ${role}; grant usage on schema promptreg to ${role}`);
    const rows = await owner<{ name: string }[]>`
      select proname::text as name from pg_proc
      where pronamespace = 'promptreg'::regnamespace and prosecdef and has_function_privilege(${role}, oid, 'execute')`;
    expect(rows.map(({ name }) => name)).toEqual([]);
    await owner.unsafe(`drop owned by ${role}; drop role ${role}`);
  });
});

test("another schema has all tables and the queue beside it, and nothing is where it usually is", {
  tags: "long",
}, async () => {
  const url = `${database.url}?schema=prompts`;
  await migrate(parseDatabaseUrl(url));
  await use(url);
  const rows = await owner<{ schema: string }[]>`
    select nspname::text as schema from pg_namespace
    where nspname not like 'pg\\_%' and nspname <> 'information_schema' order by 1`;
  expect(rows.map(({ schema }) => schema)).toEqual(["prompts", "prompts_queue", "public"]);
});

test.each(["Prompts", "a-b", "1st", "a b", "x".repeat(41), "a;b"])("no schema is called %j", (name) => {
  expect(() => parseDatabaseUrl(`postgres://a/b?schema=${encodeURIComponent(name)}`)).toThrow(
    /schema is a name/,
  );
});
