import { once } from "@promptreg/core/webhooks";
import pg from "pg";
import postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { inTable, inTransaction, type Queries } from "../../../examples/receivers/stores/postgres.ts";
import { createDatabase, type TestDatabase } from "../test/harness.ts";

// A receiver with its own database, in two processes, with the stores of the page /docs/webhooks.
let database: TestDatabase;
let processes: postgres.Sql[];

beforeAll(async () => {
  database = await createDatabase({ isEmpty: true });
  processes = [0, 1].map(() => postgres(database.url, { max: 10, onnotice: () => {} }));
  const [sql] = processes as [postgres.Sql];
  await sql`create table handled_events (id text primary key, mark text not null, until timestamptz not null)`;
  await sql`create table moves (event_id text, by int)`;
});
beforeEach(() => processes[0]?.unsafe("truncate handled_events, moves"));
afterAll(async () => {
  for (const sql of processes) await sql.end();
  await database.drop();
});

const event = { id: "evt_01" };
const queriesOf = (tx: postgres.TransactionSql): Queries => ({
  query: async (text, values) => ({ rows: await tx.unsafe(text, values) }),
});
const receive = (
  process: number,
  handle: (tx: postgres.TransactionSql) => Promise<unknown> = async () => {},
) =>
  processes[process]!.begin((tx) =>
    once(event, inTransaction(queriesOf(tx)), async () => {
      await tx`insert into moves values (${event.id}, ${process})`;
      await handle(tx);
    }),
  );
const moves = async () => (await processes[0]!`select by from moves`).map(({ by }) => by as number);
/** Resolves when a transaction waits for another one. */
const oneWaits = async () => {
  const look = () => processes[0]!`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await look()).count === 0);
};

describe("with a table, in the transaction of its handling, an event", () => {
  test("is handled once, however often it comes at once", async () => {
    const handled = await Promise.all(Array.from({ length: 16 }, (_, i) => receive(i % 2)));
    expect(handled.filter(Boolean)).toHaveLength(1);
    expect(await moves()).toHaveLength(1);
    expect(await receive(0)).toBe(false);
  });

  test("that comes again waits for the first handling, and is handled if that fails", async () => {
    const { promise: outcome, reject: fail } = Promise.withResolvers<never>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const first = receive(0, () => (begin(), outcome));
    await begun;
    const ends = Promise.allSettled([first, receive(1)]);
    await oneWaits();
    const reason = new Error("the disk is full");
    fail(reason);
    expect(await ends).toEqual([
      { status: "rejected", reason },
      { status: "fulfilled", value: true },
    ]);
    expect(await moves()).toEqual([1]);
  });

  test("is neither lost nor half handled if the process dies", async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<number>();
    const first = receive(0, async (tx) => {
      begin(((await tx`select pg_backend_pid() as pid`)[0] as { pid: number }).pid);
      return new Promise(() => {});
    });
    const pid = await begun;
    const ends = Promise.allSettled([first, receive(1)]);
    await oneWaits();
    await processes[1]!`select pg_terminate_backend(${pid})`;
    expect(await ends).toMatchObject([{ status: "rejected" }, { status: "fulfilled", value: true }]);
    expect(await moves()).toEqual([1]);
  });
});

describe("with a table of marks, over pools of pg, an event", () => {
  const inProgress = expect.objectContaining({ statusCode: 503 });
  let pools: pg.Pool[];
  beforeAll(() => {
    pools = [0, 1].map(() => new pg.Pool({ connectionString: database.url }));
  });
  afterAll(async () => {
    for (const pool of pools) await pool.end();
  });
  const receiveAt = (process: number, handle: () => unknown = () => {}) =>
    once(event, inTable(pools[process]!), handle);
  const pass = (days: number) =>
    processes[0]!`update handled_events set until = until - ${`${days} days`}::interval`;

  /** Receives it several times at once. The handling ends when all others have been refused. */
  async function receiveAtOnce(count: number): Promise<unknown[]> {
    const { promise: others, resolve: leave } = Promise.withResolvers<void>();
    let left = 0;
    const outcomes = Array.from({ length: count }, (_, i) =>
      receiveAt(i % 2, () => others)
        .catch((error: unknown) => error)
        .finally(() => (left += 1) === count - 1 && leave()),
    );
    return Promise.all(outcomes);
  }

  test("is handled once in sixty days, however often it comes at once", async () => {
    const outcomes = await receiveAtOnce(16);
    expect(outcomes.filter((outcome) => outcome === true)).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome !== true)).toEqual(Array(15).fill(inProgress));
    await pass(59);
    expect(await receiveAt(1)).toBe(false);
  });

  test("whose handling failed can be received again at once", async () => {
    const reason = new Error("the disk is full");
    await expect(receiveAt(0, () => Promise.reject(reason))).rejects.toBe(reason);
    expect(await receiveAt(1)).toBe(true);
  });

  test("is handled once after a crash, when its mark has expired", async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    void receiveAt(0, () => (begin(), new Promise(() => {})));
    await begun;
    await expect(receiveAt(1)).rejects.toEqual(inProgress);
    await pass(1);
    expect(await receiveAtOnce(2)).toEqual(expect.arrayContaining([true, inProgress]));
    expect(await receiveAt(0)).toBe(false);
  });
});
