import pino from "pino";
import postgres from "postgres";
import { rateLimits } from "@promptreg/core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test, vi } from "vitest";
import { createDatabase, type TestDatabase } from "../../../test/harness.ts";
import { parseDatabaseUrl } from "../../database/connection.ts";
import { connect } from "../../database/open.ts";
import { type Charge, RateLimited } from "./rate-counts.ts";
import { createRateLimiter, type RateLimiter } from "./rate-limit.ts";
import { addCounts } from "./rate-limit.sql.ts";
import { openSecretBox } from "../secrets/secret-box.ts";

let database: TestDatabase;
let sql: postgres.Sql;
/** Two processes on one database. */
let pools: postgres.Sql[];
let one: RateLimiter;
let other: RateLimiter;

beforeAll(async () => {
  database = await createDatabase();
  sql = connect(parseDatabaseUrl(database.url));
  pools = [1, 2].map(() => connect(parseDatabaseUrl(database.url)));
});
afterAll(async () => {
  for (const pool of [sql, ...pools]) await pool.end();
  await database.drop();
});

beforeEach(async () => {
  await sql`truncate rate_counts`;
  const limits = { ...rateLimits, read: { per: "token", quota: 10, windowSeconds: 60 } } as const;
  const [first, second] = pools.map((pool) =>
    createRateLimiter({
      sql: pool,
      secrets: openSecretBox("a secret of tests"),
      log: pino({ level: "silent" }),
      limits,
    }),
  );
  one = first!;
  other = second!;
  await setClock("2026-08-01T12:00:10Z");
});

const turnClock = (at: string) =>
  sql.unsafe(
    `create or replace function clock() returns timestamptz language sql stable return '${at}'::timestamptz`,
  );

/** Sets the clock, and lets both processes read it. */
async function setClock(at: string): Promise<void> {
  await turnClock(at);
  await reconcileBoth();
}

async function reconcileBoth(): Promise<void> {
  await one.reconcile();
  await other.reconcile();
}

const charge = (key = "tok_1"): Charge[] => [{ policy: "read", key }];

/** How many of so many requests pass. */
function countPassing(limiter: RateLimiter, requests: number, key?: string): number {
  return Array.from({ length: requests }).filter(() => {
    try {
      return limiter.take(charge(key));
    } catch (error) {
      if (error instanceof RateLimited) return false;
      throw error;
    }
  }).length;
}

const written = async () => {
  const rows = await sql<{ used: number }[]>`select used from rate_counts order by slot, used`;
  return rows.map(({ used }) => used);
};

describe("two processes", () => {
  test("know after reconciling what both counted", async () => {
    expect(countPassing(one, 6)).toBe(6);
    expect(countPassing(other, 3)).toBe(3);
    await reconcileBoth();
    expect(other.take(charge()).remaining).toBe(0);
    expect(countPassing(other, 1)).toBe(0);
    await other.reconcile();
    // A process learns the total of a key when it reports that key.
    one.giveBack(charge());
    await one.reconcile();
    expect(countPassing(one, 5)).toBe(1);
    expect(countPassing(one, 5, "tok_2")).toBe(5);
  });

  test("know in the next slot what the other counted for each key in the previous one", async () => {
    countPassing(one, 10);
    countPassing(one, 4, "tok_2");
    await setClock("2026-08-01T12:01:30Z");
    countPassing(other, 1);
    countPassing(other, 2, "tok_2");
    await other.reconcile();
    expect(other.take(charge())).toMatchObject({ remaining: 3, resetSeconds: 30 });
    expect(other.take(charge("tok_2"))).toMatchObject({ remaining: 5, resetSeconds: 30 });
  });

  test("lose nothing that was counted right before a slot ended", async () => {
    countPassing(one, 4);
    countPassing(other, 4);
    // Both report counts of a slot that is over, and learn the time only then.
    await turnClock("2026-08-01T12:01:30Z");
    await reconcileBoth();
    expect(await written()).toEqual([8]);
    for (const limiter of [one, other]) limiter.take(charge());
    await reconcileBoth();
    expect(await written()).toEqual([8, 2]);
    expect(other.take(charge()).remaining).toBe(3);
  });

  test("can report the same keys at the same time, in opposite orders", { tags: "long" }, async () => {
    const keys = Array.from({ length: 2000 }, (_, n) => `tok_${n}`);
    for (let round = 0; round < 5; round++) {
      for (const key of keys) one.take(charge(key));
      for (const key of keys.toReversed()) other.take(charge(key));
      await Promise.all([one.reconcile(), other.reconcile()]);
    }
    const [row] =
      await sql`select count(*)::int as keys, min(used) as least, max(used) as most from rate_counts`;
    expect(row).toEqual({ keys: 2000, least: 10, most: 10 });
    for (const limiter of [one, other]) {
      for (const key of keys) limiter.giveBack(charge(key));
      await limiter.reconcile();
    }
    expect(other.take(charge("tok_0")).remaining).toBe(1);
  });
});

describe("the table of counts", () => {
  test("gets no row without requests, and one row for a key with many", async () => {
    await one.reconcile();
    expect(await written()).toEqual([]);
    countPassing(one, 7);
    await one.reconcile();
    expect(await written()).toEqual([7]);
    await one.reconcile();
    expect(await written()).toEqual([7]);
  });

  test("leaves out uncounted requests", async () => {
    countPassing(one, 1);
    one.giveBack(charge());
    await one.reconcile();
    expect(await written()).toEqual([]);
    countPassing(one, 7);
    await one.reconcile();
    one.giveBack(charge());
    await one.reconcile();
    expect(await written()).toEqual([6]);
    expect(one.take(charge()).remaining).toBe(3);
  });

  test("does not show whose requests were counted", async () => {
    countPassing(one, 1, "203.0.113.7");
    await one.reconcile();
    const [row] = await sql<{ key: Buffer }[]>`select key from rate_counts`;
    expect(row?.key).toHaveLength(16);
    expect(row?.key.toString("latin1")).not.toContain("203");
  });

  test("gets the sum, if a key comes twice in one report", async () => {
    const news = { policy: "read", slot: 7, keyDigest: "00ff", used: 2, usedBefore: 1 };
    const totals = await addCounts(sql, [news, { ...news, keyDigest: "ff" }, { ...news, used: 3 }]);
    expect(totals.map(({ used }) => used)).toEqual([5, 2, 5]);
    expect(await written()).toEqual([1, 2, 2, 5]);
  });

  test("loses rows that no longer count", async () => {
    countPassing(one, 1);
    await one.reconcile();
    await setClock("2026-08-01T12:05:00Z");
    for (let round = 0; round < 60; round++) {
      one.take(charge(`tok_${round}`));
      await one.reconcile();
    }
    expect(await sql`select distinct slot from rate_counts`).toHaveLength(1);
  });
});

describe("while the database is down", () => {
  let admin: postgres.Sql;
  const name = () => new URL(database.url).pathname.slice(1);

  beforeAll(() => {
    admin = postgres(inject("postgres").url, { max: 1, onnotice: () => {} });
  });
  afterEach(async () => {
    await admin`alter database ${admin(name())} allow_connections true`;
  });
  afterAll(() => admin.end());

  test("each process counts alone, and reports when the database is back", async () => {
    countPassing(one, 2);
    await admin`alter database ${admin(name())} allow_connections false`;
    await admin`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = ${name()}`;
    await one.reconcile();
    expect(countPassing(one, 4)).toBe(4);
    await one.reconcile();
    expect(countPassing(one, 10)).toBe(4);
    await one.reconcile();
    await admin`alter database ${admin(name())} allow_connections true`;
    await one.reconcile();
    expect(await written()).toEqual([10]);
    other.take(charge());
    await other.reconcile();
    expect(countPassing(other, 1)).toBe(0);
  });
});

test("a process that was started reconciles by itself", { tags: "long" }, async () => {
  await one.start();
  countPassing(one, 3);
  await expect.poll(written, { timeout: 10_000 }).toEqual([3]);
  one.stop();
});

test("a process that cannot share its counts says so once, and once when it can again", async () => {
  let isAway = false;
  const ask = async () => {
    if (isAway) throw new Error("the database is away");
    return [{ nowMs: 0 }];
  };
  const log = { warn: vi.fn<() => void>(), info: vi.fn<() => void>() };
  const secrets = openSecretBox("one");
  const alone = createRateLimiter({ sql: ask as never, secrets, log: log as never, limits: rateLimits });
  const said = [];
  for (isAway of [false, true, true, false, false]) {
    await alone.reconcile();
    said.push([log.warn.mock.calls.length, log.info.mock.calls.length]);
  }
  expect(said).toEqual([
    [0, 0],
    [1, 0],
    [1, 0],
    [1, 1],
    [1, 1],
  ]);
});
