import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openGate, type Gate } from "../../../test/gate.ts";
import {
  createDatabase,
  startTestServer,
  type TestDatabase,
  type TestServer,
} from "../../../test/harness.ts";
import { parseDatabaseUrl, postgresOptions } from "../../database/connection.ts";
import { keepAsking, openJobPool } from "../../database/pool.ts";

/** Shorter than in production, where it is nine seconds. */
const silenceMs = 900;

let database: TestDatabase;
let gate: Gate;
let server: TestServer;

beforeAll(async () => {
  database = await createDatabase();
  gate = await openGate(database.url);
  server = await start();
});
afterAll(async () => {
  await server.stop();
  gate.close();
  await database.drop();
});

const start = () => startTestServer({ database: { ...database, url: gate.url }, works: true, silenceMs });
const readMany = async () =>
  new Set((await Promise.all(Array.from({ length: 40 }, read))).map(({ status }) => status));
/** Opens all connections of the pool. */
const open = () => vi.waitFor(async () => expect(await readMany()).toEqual(new Set([404])), 10_000);
const read = () => server.anonymous("GET /prompts/alice/hello");

describe("when the network drops everything on the open connections to the database", () => {
  test.each([
    ["but acknowledges it", {}],
    ["and acknowledges nothing", { isDeaf: true }],
  ])("%s, requests get 503, and later ones succeed on new connections", async (_, how) => {
    await open();
    gate.freeze(how);
    expect(await readMany()).toEqual(new Set([503]));
    expect((await read()).status).toBe(404);
  });

  test("the queue's idle connection is found to be lost", { tags: "long" }, async () => {
    const address = { ...parseDatabaseUrl(gate.url), silenceMs };
    const pool = openJobPool(address, () => {});
    const client = await pool.connect();
    const asking = keepAsking(client, address);
    const lost = new Promise<Error>((resolve) => client.once("error", resolve));
    gate.freeze();
    expect(await lost).toMatchObject({ code: "CONNECTION_LOST" });
    asking.stop();
    client.release(true);
    await pool.end();
  });

  test("the queue may release a connection twice", async () => {
    const pool = openJobPool(parseDatabaseUrl(database.url), () => {});
    const releasedTwice = new Promise<void>((resolve, reject) =>
      pool.connect((error, _, release) => {
        release();
        release();
        if (error) reject(error);
        else resolve();
      }),
    );
    await expect(releasedTwice).resolves.toBeUndefined();
    await pool.end();
  });

  test("a server can still be stopped", { tags: "long" }, async () => {
    await open();
    gate.freeze();
    const waiting = read();
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    await server.stop();
    expect((await waiting).status).toBe(503);
    server = await start();
    expect((await read()).status).toBe(404);
  });
});

describe("a connection stays open", () => {
  let sql: postgres.Sql;
  beforeAll(() => {
    sql = postgres({ ...postgresOptions({ ...parseDatabaseUrl(database.url), silenceMs }), max: 1 });
  });
  afterAll(() => sql.end({ timeout: 1 }));
  const pid = async () => (await sql<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]?.pid;

  test("when its statement takes too long: the statement times out first", { tags: "long" }, async () => {
    const before = await pid();
    await expect(sql`select pg_sleep(5)`).rejects.toMatchObject({ code: "57014" });
    expect(await pid()).toBe(before);
  });

  test("while this process is blocked", { tags: "long" }, async () => {
    const before = await pid();
    const answered = sql`select`.execute();
    // Sent, and answered before this process reads.
    await new Promise(setImmediate);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1.2 * silenceMs);
    await answered;
    expect(await pid()).toBe(before);
  });
});
