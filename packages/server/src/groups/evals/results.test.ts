import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isThorough } from "../../../../core/src/testing/growth.ts";
import { type Answer, type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";
import { pagesOf, type Sender } from "../../../test/requests.ts";

let server: TestServer;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  server = await startTestServer({ connections: 9 });
  alice = await server.join("alice");
  bob = await server.join("bob");
  await publish(alice, "graded");
  await publish(alice, "private", { visibility: "private" });
});
afterAll(() => server.stop());

async function start(slug = "graded"): Promise<string> {
  const body = { prompt: `alice/${slug}`, versionNumber: 1, model: "m" };
  return (await alice.request("POST /evals/runs", { body })).json.id;
}
const append = (id: string, results: object[]) =>
  alice.request(`POST /evals/runs/${id}/results`, { body: { results } });
const read = (id: string, query = "", who: Sender = alice) =>
  who.request(`GET /evals/runs/${id}/results${query}`);
const keysOf = ({ json }: Answer): string[] => json.items.map(({ caseKey }: { caseKey: string }) => caseKey);
const result = (index: number, caseKey: string, fields: object = {}) => ({
  index,
  caseKey,
  status: "passed",
  ...fields,
});

/** The keys of all pages, and the length of each page. */
async function readAll(id: string, query: string): Promise<{ keys: string[]; lengths: number[] }> {
  const pages = await pagesOf(alice, `GET /evals/runs/${id}/results?${query}`);
  return { keys: pages.flatMap(keysOf), lengths: pages.map(({ json }) => json.items.length) };
}

describe("reading results", () => {
  test("gives everything that was reported, and null for the rest", async () => {
    const id = await start();
    const whole = {
      ...result(0, "whole", { attempt: 2, status: "failed" }),
      score: 0.25,
      output: "Grüße, 🌍 \u0001",
      assertions: [
        { type: "contains", passed: false, score: 0.5, reason: "no greeting" },
        { type: "is-json", passed: true },
      ],
      latencyMs: 120,
      inputTokens: 10,
      outputTokens: 20,
      costUsd: 0.001,
      error: "late",
    };
    await append(id, [whole, result(1, "bare")]);
    const { json } = await read(id);
    expect(json.nextCursor).toBe(null);
    const [first, second] = json.items;
    expect(first).toEqual({
      ...whole,
      id: expect.stringMatching(/^res_/),
      caseId: null,
      outputTruncated: false,
      weight: 1,
      assertions: [whole.assertions[0], { type: "is-json", passed: true, score: null, reason: null }],
    });
    expect(second).toEqual({
      ...result(1, "bare", { attempt: 1 }),
      id: expect.stringMatching(/^res_/),
      caseId: null,
      score: null,
      output: null,
      outputTruncated: false,
      weight: 1,
      assertions: [],
      latencyMs: null,
      inputTokens: null,
      outputTokens: null,
      costUsd: null,
      error: null,
    });
  });

  test("gives them by index, in whatever order they came", async () => {
    const id = await start();
    await append(id, [result(2, "c"), result(0, "a")]);
    await append(id, [result(1, "b"), result(0, "a", { attempt: 2 })]);
    const keys = keysOf(await read(id));
    expect(keys).toEqual(["a", "a", "b", "c"]);
    expect((await readAll(id, "limit=1")).keys).toEqual(keys);
    expect((await readAll(id, "limit=3")).keys).toEqual(keys);
  });

  test("gives at most 500 on a page", async () => {
    const id = await start();
    await append(
      id,
      Array.from({ length: 501 }, (_, i) => result(i, `case-${i}`)),
    );
    expect((await readAll(id, "limit=500")).lengths).toEqual([500, 1]);
    expect((await read(id, "?limit=501")).status).toBe(422);
    expect((await read(id)).json.items.length).toBe(30);
  });

  test("can filter by status, page by page", async () => {
    const id = await start();
    const statuses = ["passed", "failed", "errored", "skipped"];
    await append(
      id,
      Array.from({ length: 12 }, (_, i) => result(i, `c${i}`, { status: statuses[i % 4] })),
    );
    expect((await readAll(id, "limit=2&status=failed")).keys).toEqual(["c1", "c5", "c9"]);
    expect((await read(id, "?status=odd")).status).toBe(422);
  });

  test("gives a replaced result the same id and position, unless its index changes", async () => {
    const id = await start();
    await append(id, [result(0, "a"), result(0, "b"), result(0, "c"), result(1, "d"), result(2, "e")]);
    const before = (await read(id)).json.items;
    const page = (await read(id, "?limit=2")).json;
    const [shown] = page.items;
    await append(id, [result(0, shown.caseKey, { status: "failed" })]);
    const after = (await read(id)).json.items;
    expect(after).toEqual([{ ...before[0], status: "failed" }, ...before.slice(1)]);
    // A reader at the third one sees the same rest, plus the result that moved there.
    await append(id, [result(9, shown.caseKey)]);
    const rest = keysOf(await read(id, `?limit=2&cursor=${page.nextCursor}`));
    expect(rest).toEqual([before[2].caseKey, "d"]);
    expect(keysOf(await read(id))).toEqual([
      ...keysOf({ json: { items: before } } as Answer).slice(1),
      shown.caseKey,
    ]);
  });

  test("ends a page before its limit if results are long", { tags: "long" }, async () => {
    const id = await start();
    const output = "x".repeat(64 * 1024);
    await append(
      id,
      Array.from({ length: 200 }, (_, i) => result(i, `c${i}`, { output })),
    );
    const reasons = Array.from({ length: 100 }, () => ({
      type: "llm-rubric",
      passed: false,
      reason: "€".repeat(2000),
    }));
    const explained = (from: number) =>
      Array.from({ length: 20 }, (_, i) => result(from + i, `c${from + i}`, { assertions: reasons }));
    await append(id, explained(200));
    await append(id, explained(220));
    const { keys, lengths } = await readAll(id, "limit=500");
    expect(keys).toEqual(Array.from({ length: 240 }, (_, i) => `c${i}`));
    expect(lengths[0]).toBe(128);
    expect(lengths.length).toBe(5);
  });

  test("is only for the prompt's owner", async () => {
    const id = await start();
    await append(id, [result(0, "a", { output: "secret" })]);
    const hidden = await start("private");
    for (const who of [bob, server.nobody]) {
      expect((await read(id, "", who)).json.error.code).toBe("forbidden");
      expect((await read(hidden, "", who)).json.error.code).toBe("not_found");
    }
    const moderator = await server.join("moderator", { role: "moderator" });
    expect((await read(id, "", moderator)).status).toBe(403);
  });
});

describe("a batch", () => {
  test("does not wait for a change of the prompt, nor for batches of its other runs", async () => {
    const [id, other] = [await start(), await start()];
    const written = await server.sql.begin(async (sql) => {
      await sql`select from prompts where slug = 'graded' for no key update`;
      await sql`select from eval_runs where id = ${other} for no key update`;
      return append(id, [result(0, "a")]);
    });
    expect(written.json).toEqual({ appended: 1, total: 1 });
  });

  test.for([
    ["the end of its run", "run_finished"],
    ["the deletion of its run", "not_found"],
  ])("that waited for %s is refused", async ([what, code]) => {
    const id = await start();
    const [answer] = await server.atOnce(
      (sql) =>
        what === "the end of its run"
          ? sql`update eval_runs set status = 'failed' where id = ${id}`
          : sql`update eval_runs set deleted_at = clock() where id = ${id}`,
      [() => append(id, [result(0, "a")])],
    );
    expect(answer?.json.error.code).toBe(code);
    expect((await server.sql`select from eval_results where run_id = ${id}`).count).toBe(0);
  });
});

describe("the figures of a running run", () => {
  const reported = fc.record({
    index: fc.nat(9),
    caseKey: fc.constantFrom("a", "b", "c", "d"),
    attempt: fc.integer({ min: 1, max: 2 }),
    status: fc.constantFrom("passed", "failed", "errored", "skipped"),
    score: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    inputTokens: fc.option(fc.nat()),
    outputTokens: fc.option(fc.nat()),
    costUsd: fc.option(fc.double({ min: 0, max: 1_000_000, noNaN: true })),
  });
  const nameOf = ({ caseKey, attempt }: { caseKey: string; attempt: number }) => `${caseKey} ${attempt}`;
  const batches = fc.array(fc.uniqueArray(reported, { selector: nameOf, minLength: 1, maxLength: 8 }), {
    minLength: 1,
    maxLength: 5,
  });

  test("equal the summary at its end, whatever was replaced", { tags: "long" }, async () => {
    await fc.assert(
      fc.asyncProperty(batches, async (all) => {
        const id = await start();
        for (const batch of all) expect((await append(id, batch)).json.appended).toBe(batch.length);
        const running = (await alice.request(`GET /evals/runs/${id}`)).json.summary;
        const { json } = await alice.request(`PATCH /evals/runs/${id}`, { body: { status: "completed" } });
        const kept = new Map(all.flat().map((one) => [nameOf(one), one]));
        const tried = [...kept.values()].filter(({ status }) => status !== "skipped");
        expect(json.summary).toEqual({ ...running, cases: new Set(tried.map((one) => one.caseKey)).size });
        const count = (status: string) => [...kept.values()].filter((one) => one.status === status).length;
        expect(running).toMatchObject({
          total: kept.size,
          passed: count("passed"),
          failed: count("failed"),
          errored: count("errored"),
          skipped: count("skipped"),
        });
      }),
      { numRuns: isThorough ? 600 : 20 },
    );
  });

  test("are correct if eight batches with the same cases come at once", async () => {
    const id = await start();
    const batch = (status: string) => ["a", "b", "c"].map((caseKey, i) => result(i, caseKey, { status }));
    await Promise.all(
      ["passed", "failed", "errored", "skipped", "passed", "failed", "errored", "skipped"].map((status) =>
        append(id, batch(status)),
      ),
    );
    const running = (await alice.request(`GET /evals/runs/${id}`)).json.summary;
    const { json } = await alice.request(`PATCH /evals/runs/${id}`, { body: { status: "completed" } });
    expect(json.summary).toEqual({ ...running, cases: json.summary.cases });
    expect(running.total).toBe(3);
  });

  test("accept tiny scores and costs", async () => {
    const id = await start();
    await append(
      id,
      ["a", "b", "c"].map((caseKey, i) =>
        result(i, caseKey, { score: i === 0 ? 5e-324 : 0, costUsd: 5e-324 }),
      ),
    );
    expect((await alice.request(`GET /evals/runs/${id}`)).json.summary).toMatchObject({
      score: 0,
      costUsd: 0,
    });
    expect(
      (await alice.request(`PATCH /evals/runs/${id}`, { body: { status: "completed" } })).json.summary,
    ).toMatchObject({ score: 0, costUsd: 0 });
  });
});
