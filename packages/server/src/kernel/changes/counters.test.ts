import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../../test/harness.ts";
import { count, countsOf, flushCounters, selectCount } from "./counters.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const change = (subjectId: string, name: string, delta = 1) => count(server.sql, { subjectId, name, delta });
const countOf = (subjectId: string, name: string) => selectCount(server.sql, { subjectId, name });
const waiting = async () => (await server.sql`select from counter_changes`).count;

describe("a counter", () => {
  test("is 0 before anything was counted", async () => {
    expect(await countOf("prm_none", "stars")).toBe(0);
  });

  test("is exact before and after changes are added up", async () => {
    for (const delta of [1, 1, -1, 1]) await change("prm_a", "stars", delta);
    expect(await countOf("prm_a", "stars")).toBe(2);
    await flushCounters(server.sql);
    expect([await countOf("prm_a", "stars"), await waiting()]).toEqual([2, 0]);
    await change("prm_a", "stars");
    expect(await countOf("prm_a", "stars")).toBe(3);
  });

  test("includes the changes of its transaction, and none of one that is rolled back", async () => {
    const undone = server.sql.begin(async (sql) => {
      await count(sql, { subjectId: "prm_b", name: "stars", delta: 1 });
      expect(await selectCount(sql, { subjectId: "prm_b", name: "stars" })).toBe(1);
      throw new Error("rolled back");
    });
    await expect(undone).rejects.toThrow("rolled back");
    expect(await countOf("prm_b", "stars")).toBe(0);
  });

  test("loses and doubles nothing if many count and several add up at once", async () => {
    const counting = Array.from({ length: 200 }, (_, i) => change("prm_c", i % 2 ? "stars" : "watchers"));
    const adding = Array.from({ length: 6 }, () => flushCounters(server.sql));
    await Promise.all([...counting, ...adding]);
    await flushCounters(server.sql);
    expect([await countOf("prm_c", "stars"), await countOf("prm_c", "watchers"), await waiting()]).toEqual([
      100, 100, 0,
    ]);
  });

  test("does not wait for another transaction that counts the same", async () => {
    await server.sql.begin(async (sql) => {
      await count(sql, { subjectId: "prm_d", name: "stars", delta: 1 });
      await change("prm_d", "stars");
      await flushCounters(server.sql);
      expect(await countOf("prm_d", "stars")).toBe(1);
    });
    expect(await countOf("prm_d", "stars")).toBe(2);
  });

  test("is added up in one run, however many changes wait", async () => {
    await server.sql`
      insert into counter_changes (subject_id, name, delta) select 'prm_e', 'stars', 1 from generate_series(1, 10001)`;
    await flushCounters(server.sql);
    expect([await countOf("prm_e", "stars"), await waiting()]).toEqual([10_001, 0]);
  });
});

test("the counters of a thing are printed together, and names that were never counted are 0", async () => {
  const { sql } = server;
  await change("prm_f", "stars");
  const counts = countsOf<{ stars: number; forks: number }>("'prm_f'", { stars: true, forks: true });
  const [row] = await sql`select ${counts(sql)} as counts`;
  expect(row).toEqual({ counts: { stars: 1, forks: 0 } });
});
