import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import {
  createDatabase,
  startTestServer,
  type TestDatabase,
  type TestServer,
} from "../../../test/harness.ts";
import { parseDatabaseUrl, pgOptions } from "../../database/connection.ts";
import { takeOver } from "./log.ts";

let database: TestDatabase;
let server: TestServer;
let log: string[] = [];

beforeAll(async () => {
  database = await createDatabase();
  server = await startTestServer({ database, log: { write: (line) => void log.push(line) } });
  await server.sql`create table held (id int primary key, value text check (value <> 'hush-0') not null)`;
  await server.sql`insert into held values (1, 'hush-1')`;
});
afterAll(async () => {
  await server.stop();
  await database.drop();
});

/** Statements that fail because of a value that must not be logged. */
const failing: [code: string, statement: string, values: unknown[]][] = [
  ["22P02", "select $1::text::int", ["hush-2"]],
  ["22007", "select $1::text::date", ["hush-3"]],
  ["22008", "select $1::text::date", ["2030-13-55"]],
  ["23505", "insert into held values (1, $1)", ["hush-4"]],
  ["23514", "insert into held values (2, $1)", ["hush-0"]],
  ["23502", "insert into held values ($1, null)", ["-5"]],
  [
    "P0001",
    "do $$ begin raise exception 'look at hush-6' using detail = 'hush-7', hint = 'hush-8'; end $$",
    [],
  ],
];

test.each(failing)(
  "a database error is logged with its code %s, and without values",
  async (code, statement, values) => {
    const client = new pg.Client(pgOptions(parseDatabaseUrl(database.url)));
    await client.connect();
    for (const ask of [
      () => server.sql.unsafe(statement, values as string[]),
      () => client.query(statement, values),
      () => server.sql.begin((tx) => tx.unsafe(statement, values as string[])),
    ]) {
      log = [];
      const error: unknown = await Promise.resolve(ask()).catch((caught: unknown) => caught);
      server.context.log.error({ err: new Error("outer", { cause: error }) }, "failed");
      server.context.failures.report(error, { operation: "a test" });
      server.context.failures.stop();
      for (const line of log) expect(line).not.toMatch(/hush|-5|insert into|\$1/);
      expect(log.map((line) => JSON.parse(line))).toMatchObject([
        { err: { cause: { code, severity: "ERROR", routine: expect.any(String) } } },
        { err: { code, stack: expect.stringContaining(" at ") } },
      ]);
      if (code.startsWith("23")) expect(JSON.parse(log[1] ?? "")).toMatchObject({ err: { table: "held" } });
    }
    await client.end();
  },
);

test("a statement that takes too long is named, without values", async () => {
  log = [];
  const error: unknown = await server.sql
    .begin(async (tx) => {
      await tx`set local statement_timeout = 20`;
      await tx`
        select 'hush-9', pg_sleep(${60})   -- a comment
        from held`;
    })
    .catch((caught: unknown) => caught);
  server.context.failures.report(error, { operation: "a test" });
  server.context.failures.stop();
  expect(log.map((line) => JSON.parse(line))).toMatchObject([
    {
      operation: "a test",
      err: { code: "57014", statement: "select '', pg_sleep($1) -- a comment from held" },
    },
  ]);
});

test("of a statement that begins with a long text, none of the text is logged", async () => {
  log = [];
  const error: unknown = await server.sql
    .begin(async (tx) => {
      await tx`set local statement_timeout = 20`;
      await tx.unsafe(`select '${"hush-10 ".repeat(400)}', pg_sleep(60)`);
    })
    .catch((caught: unknown) => caught);
  server.context.log.error({ err: error }, "failed");
  expect(log.join()).toContain("select ''");
  expect(log.join()).not.toContain("hush");
});

test("a failure that nobody handles ends the process, unless a connection was lost right after login", () => {
  log = [];
  const methods = { ...console };
  const on = vi.spyOn(process, "on").mockReturnThis();
  vi.spyOn(process, "removeAllListeners").mockReturnThis();
  takeOver(server.context.log);
  Object.assign(console, methods);
  const fail = on.mock.calls.find(([name]) => name === "unhandledRejection")?.[1];
  vi.restoreAllMocks();
  fail?.(Object.assign(new Error("closed"), { code: "CONNECTION_CLOSED" }));
  expect(log.map((line) => JSON.parse(line))).toMatchObject([{ err: { code: "CONNECTION_CLOSED" } }]);
  expect(() => fail?.(new Error("a fault"))).toThrow("a fault");
});
