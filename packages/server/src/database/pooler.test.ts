import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "../../test/harness.ts";
import { type DatabaseAddress, parseDatabaseUrl } from "./connection.ts";
import { connect, openDatabaseToServe, Pooled, refusePooler } from "./open.ts";

/** A pool whose connections have these sessions. */
const poolOf = (...sessions: { pid: number; path: string }[]) =>
  ({
    reserve: async () => {
      const session = sessions.shift();
      return Object.assign(async () => [session], { release: () => {} });
    },
  }) as unknown as postgres.Sql;
const path = "promptreg, public, graphile_worker";
const address = parseDatabaseUrl("postgres://a/b");

test("connections with sessions of their own are those of PostgreSQL itself", async () => {
  await expect(refusePooler(poolOf({ pid: 1, path }, { pid: 2, path }), address)).resolves.toBeUndefined();
});

test("connections that share a session, or lost their settings, are those of a pooler", async () => {
  await expect(refusePooler(poolOf({ pid: 1, path }, { pid: 1, path }), address)).rejects.toThrow(Pooled);
  const other = { pid: 1, path: '"$user", public' };
  await expect(refusePooler(poolOf(other, { ...other, pid: 2 }), address)).rejects.toThrow(Pooled);
});

describe("DATABASE_POOL_URL", () => {
  let database: TestDatabase;
  const settings = () => ({
    databaseUrl: database.url,
    // PostgreSQL itself, to which a login without settings comes as from a pooler.
    databasePoolUrl: database.url,
    databaseReadUrls: [],
    dataDir: "",
    databaseWaitSeconds: 0,
  });
  const open = (more = {}) =>
    openDatabaseToServe({ ...settings(), ...more }, { onWait() {}, onTrouble() {} });
  const refusalOf = (opening: Promise<unknown>) =>
    opening.then(
      () => "",
      (error: Error) => error.message,
    );
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database.drop());

  test("is refused while its connections lack settings, with the statements that give them", async () => {
    const refusal = await refusalOf(open());
    expect(refusal).toContain("RECONNECT");
    const statements = refusal.split("\n").slice(1);
    expect(statements).toHaveLength(7);
    const sql = connect(parseDatabaseUrl(database.url));
    for (const statement of statements) await sql.unsafe(statement);
    await sql.end();
    const { address, pooler } = await open();
    expect([address.isPooled, address.prepares]).toEqual([false, true]);
    // Nothing proved that a statement is known to every session.
    expect(pooler).toMatchObject({ isPooled: true, prepares: false });
  });

  test("is refused where it leads to another database, also to a copy", async () => {
    const copy = await createDatabase();
    expect(await refusalOf(open({ databasePoolUrl: copy.url }))).toContain("another database");
    await copy.drop();
  });

  test("can have a role of its own, and is refused while that may not read and write", async () => {
    const role = `requests_${randomUUID().slice(0, 8)}`;
    const sql = connect(parseDatabaseUrl(database.url));
    await sql.unsafe(`create role ${role} login password 'of-a-test'`);
    const url = Object.assign(new URL(database.url), { username: role, password: "of-a-test" }).href;
    const refusal = await refusalOf(open({ databasePoolUrl: url }));
    const statements = refusal.split("\n").slice(1);
    expect(statements.filter((statement) => statement.startsWith("grant"))).toHaveLength(3);
    for (const statement of statements) await sql.unsafe(statement);
    const { pooler } = await open({ databasePoolUrl: url });
    const pool = connect(pooler as DatabaseAddress);
    await expect(pool`select from prompts`).resolves.toHaveLength(0);
    await expect(pool`create table promptreg.mine ()`).rejects.toThrow("permission denied");
    await pool.end();
    await sql.unsafe(`drop owned by ${role}; drop role ${role}`);
    await sql.end();
  });
});
