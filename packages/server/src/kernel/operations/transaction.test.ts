import type postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { parseDatabaseUrl, postgresOptions } from "../../database/connection.ts";
import { connect } from "../../database/open.ts";
import { openRenewingPool } from "../../database/renewal.ts";
import { createDatabase, type TestDatabase } from "../../../test/harness.ts";

let database: TestDatabase;
let sql: postgres.Sql;
/** Another client of the same database. */
let other: postgres.Sql;

beforeAll(async () => {
  database = await createDatabase();
  sql = connect(parseDatabaseUrl(database.url));
  other = connect(parseDatabaseUrl(database.url));
  await sql`create table notes (text text)`;
});
afterAll(async () => {
  await sql.end({ timeout: 1 });
  await other.end({ timeout: 1 });
  await database.drop();
});
beforeEach(() => other`truncate notes`);

const pidOf = async (tx: postgres.Sql | postgres.TransactionSql) => {
  const [row] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
  return row?.pid ?? 0;
};
const cut = async (pid: number) => {
  await other`select pg_terminate_backend(${pid}, 5000)`;
};
/** The code depends on whether the server's message arrives before the connection ends. */
const isCut = { code: expect.stringMatching(/^(CONNECTION_CLOSED|57P01)$/) };
const notes = async () =>
  (await other<{ text: string }[]>`select text from notes order by text`).map(({ text }) => text);

describe("a transaction", () => {
  // postgres.js gave no connection to a `begin` that was the hundredth in a row of statements: it failed, and left a transaction open.
  test("begins behind any number of statements that wait for a connection", async () => {
    const small = openRenewingPool({ ...postgresOptions(parseDatabaseUrl(database.url)), max: 2 });
    await Promise.all([small`select pg_sleep(0.01)`, small`select pg_sleep(0.01)`]);
    for (let before = 95; before < 105; before++) {
      const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
      const { promise: hasBegun, resolve: begun } = Promise.withResolvers<void>();
      const holder = small.begin(() => {
        begun();
        return isOver;
      });
      await hasBegun;
      const waiting = Array.from({ length: before }, () => small`select`.execute());
      expect(await small.begin((tx) => pidOf(tx)), `behind ${before}`).toBeGreaterThan(0);
      end();
      await Promise.all([holder, ...waiting]);
    }
    await small.end({ timeout: 1 });
  });

  test("commits everything or nothing", async () => {
    await sql.begin((tx) => tx`insert into notes values ('kept')`);
    const failing = sql.begin(async (tx) => {
      await tx`insert into notes values ('lost')`;
      throw new RangeError("no");
    });
    await expect(failing).rejects.toThrow(RangeError);
    expect(await notes()).toEqual(["kept"]);
  });

  test("fails with the error of its statement", async () => {
    await expect(sql.begin((tx) => tx`select 1 / 0`)).rejects.toThrow("division by zero");
  });

  test("whose connection is cut during a statement fails, as often as it happens", async () => {
    for (let i = 0; i < 15; i++) {
      const cutDown = sql.begin(async (tx) => {
        await tx`insert into notes values ('lost')`;
        void cut(await pidOf(tx));
        await tx`select pg_sleep(10)`;
      });
      await expect(cutDown).rejects.toMatchObject(isCut);
    }
    expect(await notes()).toEqual([]);
    // A cut connection fails once more for its next user, and then works again. So use each of the pool once.
    const use = () => sql.begin((tx) => pidOf(tx)).catch(() => 0);
    for (let i = 0; i < 15; i++) await use();
    for (let i = 0; i < 15; i++) expect(await use()).toBeGreaterThan(0);
  });

  test("whose connection is cut between two statements writes nothing more, and disturbs no other", async () => {
    let went: unknown;
    const outcome = sql.begin(async (tx) => {
      await tx`insert into notes values ('before')`;
      await cut(await pidOf(tx));
      // The pool opens new connections for these, also in place of the cut one.
      const theirs = () => sql.begin((next) => next`insert into notes values ('theirs')`);
      await Promise.allSettled(Array.from({ length: 20 }, theirs));
      try {
        await tx`insert into notes values ('after')`;
        went = "through";
      } catch {
        went = "failed";
      }
    });
    await expect(outcome).rejects.toMatchObject(isCut);
    await vi.waitFor(() => expect(went).toBe("failed"), { timeout: 20_000 });
    expect(new Set(await notes())).toEqual(new Set(["theirs"]));
  });
});
