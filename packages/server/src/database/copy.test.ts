import { Writable } from "node:stream";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createDatabase, type TestDatabase } from "../../test/harness.ts";
import { parseDatabaseUrl, pgOptions } from "./connection.ts";
import { copyIn, copyOut } from "./copy.ts";

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
beforeEach(async () => {
  await client.query("drop table if exists numbers");
  await client.query("create temp table numbers (n int primary key deferrable initially deferred)");
});

/** Takes one chunk after the other, each in a turn of its own. */
function slowSink() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _, done) {
      chunks.push(chunk);
      setImmediate(done);
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

test.each([0, 1, 2_000, 20_000])(
  "%i rows reach a slow reader in order, and the connection works on",
  async (rows) => {
    const sink = slowSink();
    const statement = `copy (select repeat(i::text, 20) from generate_series(1, ${rows}) i) to stdout`;
    expect(await copyOut(client, statement, sink.stream)).toBe(rows);
    expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    await expect.poll(() => sink.stream.writableFinished).toBe(true);
    const expected = Array.from({ length: rows }, (_, i) => `${`${i + 1}`.repeat(20)}\n`);
    expect(sink.text()).toBe(expected.join(""));
  },
);

test("a statement that fails half-way says so and ends the stream", async () => {
  const { stream } = slowSink();
  const statement = "copy (select 1 / (3000 - i) from generate_series(1, 3000) i) to stdout";
  stream.on("error", () => {});
  await expect(copyOut(client, statement, stream)).rejects.toThrow("division by zero");
  expect(stream.destroyed).toBe(true);
  expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
});

test("an error after the last row in is an error, and the connection works on", async () => {
  async function* rows() {
    yield Buffer.from("1\n1\n");
  }
  await expect(copyIn(client, "copy numbers from stdin", rows())).rejects.toThrow("duplicate key");
  expect((await client.query("select n from numbers")).rows).toEqual([]);
});

test("a source that fails takes the statement with it", async () => {
  async function* rows() {
    yield Buffer.from("1\n");
    throw new Error("the disk is gone");
  }
  await expect(copyIn(client, "copy numbers from stdin", rows())).rejects.toThrow("the disk is gone");
  expect((await client.query("select n from numbers")).rows).toEqual([]);
});
