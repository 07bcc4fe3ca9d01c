import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Sql } from "../../database/sql.ts";
import { openLog } from "./log.ts";
import { openReadiness, type Readiness } from "./readiness.ts";

/** The queries to the database. The tests answer each by hand. */
let asked: PromiseWithResolvers<{ isReadOnly: boolean }[]>[];
let log: string[];
let readiness: Readiness;

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  log = [];
  const sql = (() => {
    const question = Promise.withResolvers<{ isReadOnly: boolean }[]>();
    asked.push(question);
    return question.promise;
  }) as unknown as Sql;
  const lines = { write: (line: string) => void log.push((JSON.parse(line) as { msg: string }).msg) };
  readiness = openReadiness({ sql, log: openLog(lines) });
});
afterEach(() => {
  readiness.stop();
  vi.useRealTimers();
});

const answer = (isReadOnly = false) => asked.at(-1)?.resolve([{ isReadOnly }]);
const check = () =>
  readiness.check().then(
    ({ isReadOnly }) => (isReadOnly ? "read-only" : "ready"),
    (error: { code: string }) => error.code,
  );

test("however many check, the database is asked once a second", async () => {
  const first = Array.from({ length: 50 }, check);
  answer();
  expect(new Set(await Promise.all(first))).toEqual(new Set(["ready"]));
  await vi.advanceTimersByTimeAsync(990);
  expect(await check()).toBe("ready");
  expect(asked).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(10);
  void check();
  expect(asked).toHaveLength(2);
});

test("a check of a silent database fails within a second, and it is not asked again before it answers", async () => {
  const first = check();
  await vi.advanceTimersByTimeAsync(999);
  expect(await first).toBe("ETIMEDOUT");
  await vi.advanceTimersByTimeAsync(60_000);
  expect([await check(), asked.length]).toEqual(["ETIMEDOUT", 1]);
  answer();
  await vi.advanceTimersByTimeAsync(1_000);
  answer();
  expect([await check(), asked.length]).toEqual(["ready", 2]);
});

test("a read-only database is ready for reads, and the log says once when changes are refused and taken again", async () => {
  for (let i = 0; i < 3; i++) {
    const asking = check();
    answer(true);
    expect(await asking).toBe("read-only");
    await vi.advanceTimersByTimeAsync(1_000);
  }
  answer();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(log).toEqual([
    "the database is read-only: reads work, and changes get 503",
    "the database takes changes again",
  ]);
  expect(asked).toHaveLength(4);
});

test("the start and the end of an outage are logged once each, however many requests fail", async () => {
  for (let i = 0; i < 10; i++) readiness.suspect();
  asked[0]?.reject(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }));
  for (let i = 1; i < 5; i++) {
    await vi.advanceTimersByTimeAsync(1_000);
    readiness.suspect();
    asked[i]?.reject(new Error("refused"));
  }
  await vi.advanceTimersByTimeAsync(1_000);
  expect([log, readiness.isDatabaseUp]).toEqual([["the database is unavailable"], false]);
  answer();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(readiness.isDatabaseUp).toBe(true);
  expect([log, asked.length]).toEqual([["the database is unavailable", "the database is back"], 6]);
});
