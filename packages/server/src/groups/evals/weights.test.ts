import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";

let server: TestServer;
let alice: Person;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  await publish(alice, "graded");
});
afterAll(() => server.stop());

/** A dataset whose cases have these weights, by their keys. */
async function datasetOf(weights: Record<string, number>): Promise<string> {
  const body = { prompt: "alice/graded", name: `Set ${Math.random()}` };
  const { id, error } = (await alice.request("POST /evals/datasets", { body })).json;
  expect(error).toBeUndefined();
  const cases = Object.entries(weights).map(([key, weight]) => ({ key, weight }));
  if (cases.length > 0) await alice.request(`POST /evals/datasets/${id}/cases`, { body: { cases } });
  return id;
}

async function start(fields: object = {}): Promise<string> {
  const body = { prompt: "alice/graded", versionNumber: 1, model: "m", threshold: 0.75, ...fields };
  return (await alice.request("POST /evals/runs", { body })).json.id;
}

interface Reported {
  caseKey: string;
  attempt?: number;
  status: string;
  score?: number | null;
}

const append = async (id: string, results: readonly Reported[]) =>
  (
    await alice.request(`POST /evals/runs/${id}/results`, {
      body: { results: results.map((result, index) => ({ index, ...result })) },
    })
  ).json;
const results = async (id: string) => (await alice.request(`GET /evals/runs/${id}/results`)).json.items;
const read = async (id: string) => (await alice.request(`GET /evals/runs/${id}`)).json;
const end = async (id: string) =>
  (await alice.request(`PATCH /evals/runs/${id}`, { body: { status: "completed" } })).json;
const editWeight = async (dataset: string, key: string, weight: number) => {
  const { items } = (await alice.request(`GET /evals/datasets/${dataset}/cases`)).json;
  const { id } = items.find((one: { key: string }) => one.key === key);
  await alice.request(`PATCH /evals/datasets/${dataset}/cases/${id}`, { body: { weight } });
};

const passed = (...keys: string[]) => keys.map((caseKey) => ({ caseKey, status: "passed" }));
const failed = (...keys: string[]) => keys.map((caseKey) => ({ caseKey, status: "failed" }));

describe("a run", () => {
  test("fails if the one case fails that has nearly all the weight", async () => {
    const id = await start({ dataset: await datasetOf({ heavy: 9, a: 0.1, b: 0.1, c: 0.1 }) });
    await append(id, [...failed("heavy"), ...passed("a", "b", "c")]);
    expect((await read(id)).summary.passRate).toBeCloseTo(0.3 / 9.3, 12);
    const { verdict, summary } = await end(id);
    expect([verdict, summary.passRate, summary.passed]).toEqual(["fail", expect.closeTo(0.3 / 9.3, 12), 3]);
    const { items } = (await alice.request("GET /evals/scores?prompt=alice/graded")).json;
    expect(items.find((score: { runId: string }) => score.runId === id).passRate).toBe(summary.passRate);
  });

  test("counts errors as not passed, and skipped results not at all", async () => {
    const id = await start({ dataset: await datasetOf({ a: 3, b: 1, c: 100 }) });
    await append(id, [
      ...passed("a"),
      { caseKey: "b", status: "errored" },
      { caseKey: "c", status: "skipped" },
    ]);
    expect((await end(id)).summary.passRate).toBe(0.75);
  });

  test("has the weighted mean of the scores", async () => {
    const id = await start({ dataset: await datasetOf({ a: 3, b: 1, c: 100 }) });
    await append(id, [
      { caseKey: "a", status: "passed", score: 1 },
      { caseKey: "b", status: "passed", score: 0 },
      ...passed("c"),
    ]);
    expect((await read(id)).summary.score).toBe(0.75);
    expect((await end(id)).summary.score).toBe(0.75);
  });

  test("counts each attempt by the weight of its case, and a result without a case as 1", async () => {
    const id = await start({ dataset: await datasetOf({ a: 2 }) });
    await append(id, [
      ...passed("a"),
      { caseKey: "a", attempt: 2, status: "failed" },
      ...passed("of no case"),
    ]);
    expect((await results(id)).map(({ weight }: { weight: number }) => weight)).toEqual([2, 2, 1]);
    expect((await end(id)).summary.passRate).toBe(3 / 5);
  });

  test("has no pass rate and no verdict if all of its cases weigh 0", async () => {
    const id = await start({ dataset: await datasetOf({ a: 0, b: 0 }) });
    await append(id, [...passed("a"), ...failed("b")]);
    expect((await read(id)).summary.passRate).toBeNull();
    const { verdict, summary } = await end(id);
    expect([verdict, summary.passRate, summary.total]).toEqual([null, null, 2]);
  });

  test("keeps the weight that a case had when its result came", async () => {
    const dataset = await datasetOf({ a: 1, b: 1 });
    const id = await start({ dataset });
    await append(id, passed("a"));
    await editWeight(dataset, "a", 5);
    await editWeight(dataset, "b", 3);
    await append(
      id,
      failed("b").map((one) => ({ ...one, index: 1 })),
    );
    expect((await results(id)).map(({ weight }: { weight: number }) => weight)).toEqual([1, 3]);
    const ended = await end(id);
    expect(ended.summary.passRate).toBe(0.25);
    await editWeight(dataset, "b", 100);
    expect((await read(id)).summary).toEqual(ended.summary);
  });

  test("takes the new weight with a result that is reported again", async () => {
    const dataset = await datasetOf({ a: 1, b: 1 });
    const id = await start({ dataset });
    await append(id, [...passed("a"), ...failed("b")]);
    expect(await append(id, [...passed("a"), ...failed("b")])).toMatchObject({ appended: 0 });
    await editWeight(dataset, "a", 3);
    expect(await append(id, [...passed("a"), ...failed("b")])).toMatchObject({ appended: 1 });
    expect((await read(id)).summary.passRate).toBe(0.75);
    expect((await end(id)).summary.passRate).toBe(0.75);
  });

  const keys = fc.constantFrom("a", "b", "c", "d", "e");
  const weight = fc.oneof(
    fc.constant(0),
    fc.constantFrom(0.1, 0.2, 1 / 3, 7, 1e6),
    fc.double({ min: 1e-9, max: 1e6, noNaN: true }),
  );
  const reported = fc.record({
    caseKey: keys,
    attempt: fc.integer({ min: 1, max: 2 }),
    status: fc.constantFrom("passed", "failed", "errored", "skipped"),
    score: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  });
  const batch = fc.uniqueArray(reported, {
    selector: ({ caseKey, attempt }) => `${caseKey} ${attempt}`,
    minLength: 1,
    maxLength: 6,
  });

  test("has the figures of an independent calculation while it runs and when it ends, whatever was replaced", {
    tags: "long",
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(keys, weight, { maxKeys: 4 }),
        fc.array(batch, { minLength: 1, maxLength: 3 }),
        async (weights, batches) => {
          const dataset = await datasetOf(weights);
          const id = await start({ dataset });
          for (const one of batches) await append(id, one);
          const running = (await read(id)).summary;
          const { summary } = await end(id);
          await alice.request(`DELETE /evals/datasets/${dataset}`);
          const kept = [
            ...new Map(batches.flat().map((one) => [`${one.caseKey} ${one.attempt}`, one])).values(),
          ];
          const weighed = kept.map((one) => ({ ...one, weight: weights[one.caseKey] ?? 1 }));
          const sum = (of: (one: (typeof weighed)[number]) => number) =>
            weighed.reduce((all, one) => all + of(one), 0);
          const share = (part: number, whole: number) =>
            whole === 0 ? null : expect.closeTo(part / whole, 9);
          const expected = {
            passRate: share(
              sum(({ weight, status }) => (status === "passed" ? weight : 0)),
              sum(({ weight, status }) => (status === "skipped" ? 0 : weight)),
            ),
            score: share(
              sum(({ weight, score }) => weight * (score ?? 0)),
              sum(({ weight, score }) => (score === null ? 0 : weight)),
            ),
          };
          expect(running).toMatchObject(expected);
          expect(summary).toMatchObject(expected);
        },
      ),
      { numRuns: 25 },
    );
  });
});

test("the tiniest scores and weights are compared", async () => {
  const dataset = await datasetOf({ a: 5e-324, b: 1e-19, c: 1e6, d: 1 });
  const score = (value: number) => (key: string) => ({
    caseKey: key,
    status: "passed",
    score: value,
    assertions: [{ type: "close", passed: true, score: value }],
  });
  const [before, after] = [await start({ dataset }), await start({ dataset })];
  await append(before, ["a", "b", "c", "d", "e"].map(score(5e-324)));
  await append(after, ["a", "b", "c", "d", "e"].map(score(1e-310)));
  for (const id of [before, after]) await end(id);
  const { json } = await alice.request(`GET /evals/compare?a=${before}&b=${after}`);
  expect(json.verdict).toMatchObject({
    score: { pairs: 4, change: 0 },
    metrics: [{ name: "close", pairs: 4 }],
  });
});

test("two runs are compared by the weights of their cases", async () => {
  const dataset = await datasetOf({ heavy: 9, a: 0.1, b: 0.1, c: 0.1 });
  const before = await start({ dataset, threshold: 0.5 });
  const after = await start({ dataset, threshold: 0.5 });
  await append(before, passed("heavy", "a", "b", "c"));
  await append(after, [...failed("heavy"), ...passed("a", "b", "c")]);
  expect([(await end(before)).verdict, (await end(after)).verdict]).toEqual(["pass", "fail"]);
  const { verdict } = (await alice.request(`GET /evals/compare?a=${before}&b=${after}`)).json;
  expect(verdict.passRate).toMatchObject({ pairs: 4, a: 1, b: expect.closeTo(0.3 / 9.3, 12) });
});
