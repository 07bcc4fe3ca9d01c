import { type EventStore, once } from "@promptreg/core/webhooks";
import postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "../test/harness.ts";

// A receiver with a database of its own, in two processes: the way that the page /docs/webhooks recommends.
let database: TestDatabase;
let processes: postgres.Sql[];

beforeAll(async () => {
  database = await createDatabase({ isEmpty: true });
  processes = [0, 1].map(() => postgres(database.url, { max: 10, onnotice: () => {} }));
  const [sql] = processes as [postgres.Sql];
  await sql`create table handled_events (id text primary key, at timestamptz not null default now())`;
  await sql`create table moves (event_id text, by int)`;
});
beforeEach(() => processes[0]?.unsafe("truncate handled_events, moves"));
afterAll(async () => {
  for (const sql of processes) await sql.end();
  await database.drop();
});

const event = { id: "evt_01" };
const inTable = (tx: postgres.TransactionSql): EventStore => ({
  begin: async (id) => {
    const added = await tx`insert into handled_events (id) values (${id}) on conflict do nothing`;
    return added.count === 1 ? null : "handled";
  },
  end: () => {}, // the transaction's own end says it
});
const receive = (
  process: number,
  handle: (tx: postgres.TransactionSql) => Promise<unknown> = async () => {},
) =>
  processes[process]!.begin((tx) =>
    once(event, inTable(tx), async () => {
      await tx`insert into moves values (${event.id}, ${process})`;
      await handle(tx);
    }),
  );
const moves = async () => (await processes[0]!`select by from moves`).map(({ by }) => by as number);
/** Waits until a transaction waits for another one. */
const oneWaits = async () => {
  const look = () => processes[0]!`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await look()).count === 0);
};

describe("with a table, in the transaction of what is done with it, an event", () => {
  test("is handled once, however often it comes at the same time", async () => {
    const handled = await Promise.all(Array.from({ length: 16 }, (_, i) => receive(i % 2)));
    expect(handled.filter(Boolean)).toHaveLength(1);
    expect(await moves()).toHaveLength(1);
    expect(await receive(0)).toBe(false);
  });

  test("that comes twice waits for the first, and is handled if that one fails", async () => {
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

  test("is neither lost nor half done when the process dies in the middle", async () => {
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
