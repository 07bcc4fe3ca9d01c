import type postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "../../../test/harness.ts";
import { until } from "../../../test/waiting.ts";
import { type DatabaseAddress, parseDatabaseUrl } from "../../database/connection.ts";
import { connect } from "../../database/open.ts";
import { afterCommit } from "../../database/transaction.ts";
import { type Bus, type Changed, ofAccount, openBus } from "./bus.ts";

let database: TestDatabase;
let address: DatabaseAddress;
let sql: postgres.Sql;
/** The buses of two processes. */
let here: Bus;
let there: Bus;
let heardHere: Changed[] = [];
let heardThere: Changed[] = [];
let lost: Error[] = [];

beforeAll(async () => {
  database = await createDatabase();
  address = parseDatabaseUrl(database.url);
  sql = connect(address);
  [here, there] = [open(), open()];
  [heardHere, heardThere, lost] = [[], [], []];
  here.subscribe((changed) => heardHere.push(changed));
  there.subscribe((changed) => heardThere.push(changed));
  await until(async () => heardThere.length > 0 && heardHere.length > 0);
});
beforeEach(() => {
  [heardHere, heardThere, lost] = [[], [], []];
});
afterAll(async () => {
  await Promise.all([here.stop(), there.stop()]);
  await sql.end();
  await database.drop();
});

const open = () => openBus({ sql, address, onLost: (error) => lost.push(error) });
const idOf = (nth: number) => `prm_${String(nth).padStart(22, "0")}`;

describe("a change that is announced", () => {
  test("is heard at once in its process, once, and soon in another", async () => {
    here.announce({ id: "prm_1" });
    expect(heardHere).toEqual([new Set(["prm_1"])]);
    await until(() => heardThere.length > 0);
    expect([heardHere.length, heardThere]).toEqual([1, [new Set(["prm_1"])]]);
  });

  test("travels with those that come soon after it", async () => {
    const ids = Array.from({ length: 200 }, (_, nth) => idOf(nth));
    for (const id of ids) here.announce({ id: id });
    await until(() => new Set(heardThere.flatMap((changed) => [...(changed ?? [])])).size === 200);
    expect(heardThere.length).toBeLessThan(5);
  });

  test("is one of any, if a message cannot name all", async () => {
    for (let nth = 0; nth < 1_000; nth++) here.announce({ id: idOf(nth) });
    await until(() => heardThere.includes(null));
    expect(lost).toEqual([]);
  });

  test("is heard no more by who unsubscribed", async () => {
    const heard: Changed[] = [];
    const unsubscribe = there.subscribe((changed) => heard.push(changed));
    unsubscribe();
    here.announce({ id: "prm_2" });
    await until(() => heardThere.length > 0);
    expect(heard).toEqual([]);
  });

  test("while nothing listened may have been any, which is told once it listens again", {
    tags: "long",
  }, async () => {
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and query in ('listen "promptreg"', 'select')`;
    await until(() => lost.length === 2);
    here.announce({ id: "prm_3" });
    await until(() => heardThere.includes(null) && heardHere.includes(null));
    here.announce({ id: "prm_4" });
    await until(() => heardThere.length > 1);
    expect(heardThere.at(-1)).toEqual(new Set(["prm_4"]));
  });

  test("is sent before its process ends", async () => {
    const ending = open();
    ending.announce({ id: "prm_5" });
    ending.announce({ id: "prm_6" });
    await ending.stop();
    await until(() => heardThere.length > 1);
    expect(heardThere).toEqual([new Set(["prm_5"]), new Set(["prm_6"])]);
  });
});

test("what a database that was away did not hear is sent again", async () => {
  let isAway = true;
  const failing = (...given: Parameters<typeof sql>) => {
    if (!isAway) return sql(...given);
    isAway = false;
    return Promise.reject(new Error("away"));
  };
  const ending = openBus({ sql: failing as never, address, onLost: (error) => lost.push(error) });
  ending.announce({ id: "prm_7", ownerId: "usr_1" });
  await ending.stop();
  await until(() => heardThere.length > 0);
  expect(heardThere).toEqual([new Set(["prm_7", ofAccount("usr_1")])]);
});

describe("what a transaction does after its commit", () => {
  test("is done when others see its rows, and never if it is rolled back", async () => {
    await sql`create table notes (text text)`;
    const { promise: done, resolve } = Promise.withResolvers<number>();
    await sql.begin(async (tx) => {
      await tx`insert into notes values ('kept')`;
      afterCommit(tx, () => void sql`select from notes`.then(({ count }) => resolve(count)));
    });
    expect(await done).toBe(1);
    let isDone = false;
    const failing = sql.begin(async (tx) => {
      afterCommit(tx, () => (isDone = true));
      await tx`insert into nowhere values (1)`;
    });
    await expect(failing).rejects.toThrow("nowhere");
    expect(isDone).toBe(false);
  });
});
