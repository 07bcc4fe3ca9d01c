import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { changesOf, measure, methodNumber } from "@promptreg/core/evals";
import { match, type TestResult } from "../../../../core/src/evals/testing.ts";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";
import { setReadOnly } from "../../../test/read-only.ts";
import { itemsOf } from "../../../test/requests.ts";
import { until } from "../../../test/waiting.ts";
import { beginning, selectEndOfRange } from "./compare.sql.ts";
import { type Compared, compute, figuresOf, keysOf } from "./comparison.ts";
import { bounds, pruneComparisons } from "./comparisons.sql.ts";
import { pruneRuns } from "./prune.ts";
import { isThorough } from "../../../../core/src/testing/growth.ts";

let server: TestServer;
let alice: Person;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  await publish(alice, "graded");
});
afterAll(() => server.stop());

const statuses = { p: "passed", f: "failed", e: "errored", s: "skipped" } as const;

/** The results of cases, one attempt a letter: `{ a: "p", b: "pf" }` is two cases. */
const resultsOf = (cases: Record<string, string>): TestResult[] =>
  Object.entries(cases).flatMap(([caseKey, letters]) =>
    Array.from(letters, (letter) => ({ caseKey, status: statuses[letter as keyof typeof statuses] })),
  );

/** Reports a run. It stays running unless `status` says how it ends. */
async function report(
  results: readonly TestResult[],
  status?: "completed",
  { dataset, slug = "graded" }: { dataset?: string; slug?: string } = {},
): Promise<string> {
  const body = { prompt: `alice/${slug}`, versionNumber: 1, model: "m", ...(dataset && { dataset }) };
  const { id } = (await alice.request("POST /evals/runs", { body })).json;
  const attempts = new Map<string, number>();
  const numbered = results.map((result, index) => {
    const attempt = (attempts.get(result.caseKey) ?? 0) + 1;
    attempts.set(result.caseKey, attempt);
    const { caseKey, status: letter } = result;
    return { caseKey, status: letter, index, attempt };
  });
  if (results.length > 0)
    await alice.request(`POST /evals/runs/${id}/results`, { body: { results: numbered } });
  if (status) await alice.request(`PATCH /evals/runs/${id}`, { body: { status } });
  return id;
}

const before = { a: "p", b: "p", c: "f", d: "f", e: "pp", f: "e" };
const after = { a: "p", b: "f", c: "p", d: "f", e: "pf", g: "p" };
const completed = async (slug = "graded") => ({
  a: await report(resultsOf(before), "completed", { slug }),
  b: await report(resultsOf(after), "completed", { slug }),
});
type Pair = Awaited<ReturnType<typeof completed>>;

const path = ({ a, b }: Pair, query = "") => `GET /evals/compare?a=${a}&b=${b}${query}`;
const compare = (runs: Pair, query = "") => alice.request(path(runs, query));
const kept = ({ a, b }: Pair) =>
  server.sql<{ method: number; bytes: number }[]>`
    select method, bytes from eval_comparisons where a_run_id = ${a} and b_run_id = ${b}`;
const keysKept = async ({ a, b }: Pair) => {
  const [row] = await server.sql<{ keys: number }[]>`
    select coalesce(sum(cardinality(keys)), 0)::int as keys from eval_compared_cases where a_run_id = ${a} and b_run_id = ${b}`;
  return row?.keys;
};

/** What code below the handler gets of two runs. */
async function rowsOf(runs: Pair): Promise<Compared> {
  const row = async (id: string) => {
    const [found] = await server.sql<{ total: number; status: string; promptId: string }[]>`
      select total, status, prompt_id as "promptId" from eval_runs where id = ${id}`;
    return { ...found, id, prompt: { id: found?.promptId } } as never;
  };
  return { a: await row(runs.a), b: await row(runs.b) };
}

describe("what two ended runs come to", () => {
  test("is computed once, and read again with runs, verdict and cases of this moment", async () => {
    const runs = await completed();
    const first = await compare(runs);
    expect(await kept(runs)).toMatchObject([{ method: methodNumber, bytes: expect.any(Number) }]);
    expect(await keysKept(runs)).toBe(7);
    const second = await compare(runs);
    expect(second.text).toBe(first.text);
    await server.sql`
      update eval_comparisons set figures = jsonb_set(figures::jsonb, '{changes,fixed}', '99') where a_run_id = ${runs.a}`;
    await alice.request(`PATCH /evals/runs/${runs.a}`, { body: { pinned: true } });
    const { json } = await compare(runs, "&maxDrop=0.5");
    expect([json.summary.fixed, json.a.pinned, json.items.length]).toEqual([99, true, 7]);
  });

  test("is not what they come to in the other order", async () => {
    const runs = await completed();
    const { json } = await compare(runs);
    const { json: other } = await compare({ a: runs.b, b: runs.a });
    expect([json.summary.broken, other.summary.broken, other.summary.onlyA]).toEqual([2, 1, 1]);
  });

  test("is that of both runs: the same first run with another second one has its own", async () => {
    const { a, b } = await completed();
    const c = await report(resultsOf({ a: "f", b: "f", c: "f", h: "p" }), "completed");
    const [one, other] = [
      { a, b },
      { a, b: c },
    ];
    const broken = async (runs: Pair) => {
      const wanted = { after: beginning, changes: changesOf("broken"), take: 9 };
      const { keys } = await keysOf(server.context, await rowsOf(runs), wanted);
      return (await keys).map((row) => row["case_key"]);
    };
    await compare(one);
    expect(await broken(other)).toEqual(["a", "b"]);
    await compare(other);
    expect([await broken(one), await broken(other)]).toEqual([
      ["b", "e"],
      ["a", "b"],
    ]);
    expect((await compare(one)).json.summary).toMatchObject({ fixed: 1, onlyA: 1 });
    expect((await compare(other)).json.summary).toMatchObject({ fixed: 0, onlyA: 3 });
    const bytes = await kept(other);
    await server.sql`delete from eval_comparisons where a_run_id = ${a}`;
    await compare(other);
    expect(await kept(other)).toEqual(bytes);
  });

  test("is bounded by each request for its prompt, and by the sweep for all", { tags: "long" }, async () => {
    const usual = [bounds.prompt.comparisons, bounds.all.comparisons] as const;
    for (const slug of ["here", "there"]) await publish(alice, slug);
    const pairs: Pair[] = [];
    const left = async () => (await Promise.all(pairs.map(kept))).map((rows) => rows.length);
    try {
      bounds.prompt.comparisons = 2;
      for (const slug of ["there", "here", "there", "here"]) {
        pairs.push(await completed(slug));
        await compare(pairs.at(-1)!);
      }
      expect(await left()).toEqual([1, 1, 1, 1]);
      await compare(await completed("here"));
      expect(await left()).toEqual([1, 0, 1, 1]);
      bounds.all.comparisons = 1;
      await pruneRuns(server.context);
      expect(await left()).toEqual([0, 0, 0, 0]);
    } finally {
      [bounds.prompt.comparisons, bounds.all.comparisons] = usual;
    }
  });

  test("is that of these two runs, for those who ask for others at the same time", async () => {
    const { a, b } = await completed();
    const c = await report(resultsOf({ a: "f" }), "completed");
    const [one, other] = await Promise.all(
      [
        { a, b },
        { a, b: c },
      ].map(async (runs) => figuresOf(server.context, await rowsOf(runs))),
    );
    expect([one?.changes.onlyA, other?.changes.onlyA]).toEqual([1, 5]);
  });

  test("of runs without results is kept too", async () => {
    const runs = { a: await report([], "completed"), b: await report([], "completed") };
    expect((await compare(runs)).status).toBe(200);
    expect(await kept(runs)).toMatchObject([{ bytes: 0 }]);
  });

  test("is computed all the same if a run is deleted meanwhile", async () => {
    const runs = await completed();
    const rows = await rowsOf(runs);
    await server.sql`delete from eval_results where run_id = ${runs.b}`;
    await server.sql`delete from eval_runs where id = ${runs.b}`;
    expect((await figuresOf(server.context, rows)).changes.onlyA).toBe(6);
  });

  test("of five hundred differences is sampled", async () => {
    const keys = Array.from({ length: 500 }, (_, n) => `case-${n}`);
    const all = (letters: string) => resultsOf(Object.fromEntries(keys.map((key) => [key, letters])));
    const runs = { a: await report(all("pp"), "completed"), b: await report(all("pf"), "completed") };
    expect((await compare(runs)).json.verdict.passRate.method).toBe("sign_flip_sampled");
  });

  test("of few differences among more cases is exact, also from many ranges", async () => {
    const cases = (odd: string) =>
      resultsOf(
        Object.fromEntries(
          Array.from({ length: 600 }, (_, n) => [`case-${1_000 + n}`, n % 60 === 0 ? odd : "p"]),
        ),
      );
    const rows = await rowsOf({
      a: await report(cases("pf"), "completed"),
      b: await report(cases("pp"), "completed"),
    });
    const inMany = await compute(server.sql, rows, { results: 400 });
    expect(inMany.passRate).toMatchObject({ pairs: 600, method: "sign_flip_exact" });
    expect(inMany).toEqual(await compute(server.sql, rows));
  });

  test("a fault is told, and not only computed around", async () => {
    const runs = await completed();
    await server.sql`alter table eval_comparisons add constraint odd check (b_run_id <> ${server.sql.unsafe(`'${runs.b}'`)}) not valid`;
    expect((await compare(runs)).status).toBe(500);
    await server.sql`alter table eval_comparisons drop constraint odd`;
  });

  test.for([
    ["the disk is full", "53100"],
    ["we may not write", "42501"],
  ])("is computed all the same if %s", async ([, code]) => {
    const runs = await completed();
    await server.sql.unsafe(`
      create function refuse() returns trigger language plpgsql as $$ begin raise sqlstate '${code}'; end $$;
      create trigger refuse before insert on eval_comparisons execute function refuse()`);
    const { json } = await compare(runs);
    await server.sql`drop function refuse cascade`;
    expect(json.summary).toMatchObject({ fixed: 1, broken: 2 });
    expect(await kept(runs)).toEqual([]);
  });

  test("is computed anew by another method", async () => {
    const runs = await completed();
    await compare(runs);
    await server.sql`
      update eval_comparisons set figures = '{}' where a_run_id = ${runs.a}`;
    await server.sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`update eval_comparisons set method = 0 where a_run_id = ${runs.a}`;
      await tx`update eval_compared_cases set method = 0 where a_run_id = ${runs.a}`;
    });
    const wanted = { after: beginning, changes: changesOf("broken"), take: 9 };
    const { keys } = await keysOf(server.context, await rowsOf(runs), wanted);
    expect((await keys).map((row) => row["case_key"])).toEqual(["b", "e"]);
    expect((await compare(runs)).json.summary.fixed).toBe(1);
    const [[before, now], stored] = [
      (await kept(runs)).sort((a, b) => a.method - b.method),
      await keysOf(server.context, await rowsOf(runs), wanted),
    ];
    expect([before?.method, now]).toEqual([0, { ...before, method: methodNumber }]);
    expect((await stored.keys).map((row) => row["case_key"])).toEqual(["b", "e"]);
    expect(
      await server.sql`select from eval_comparisons where a_run_id = ${runs.a} and figures::text = '{}'`,
    ).toHaveLength(1);
  });

  test("goes with either run", async () => {
    for (const side of ["a", "b"] as const) {
      const runs = await completed();
      await compare(runs);
      await alice.request(`DELETE /evals/runs/${runs[side]}`);
      expect((await compare(runs)).status).toBe(404);
      await pruneRuns(server.context);
      expect(await kept(runs)).toEqual([]);
      expect(await keysKept(runs)).toBe(0);
    }
  });

  test("is not kept while one of them is running", async () => {
    const runs = { a: await report(resultsOf(before), "completed"), b: await report(resultsOf(after)) };
    expect((await compare(runs)).json.summary.fixed).toBe(1);
    expect((await compare(runs, "&only=changed")).json.items).toHaveLength(5);
    expect(await kept(runs)).toEqual([]);
    const wanted = { after: beginning, changes: changesOf("changed"), take: 4, results: 2 };
    const { keys } = await keysOf(server.context, await rowsOf(runs), wanted);
    expect((await keys).map((row) => row["case_key"])).toEqual(["b", "c", "e", "f"]);
  });

  test("is computed by one of those who ask at the same time, in this process or another", async () => {
    const runs = await completed();
    const [{ promptId } = { promptId: "" }] = await server.sql<{ promptId: string }[]>`
      select prompt_id as "promptId" from eval_runs where id = ${runs.a}`;
    const other = await server.sql.reserve();
    await other`begin`;
    await other`
      insert into eval_comparisons (a_run_id, b_run_id, method, prompt_id, figures)
      select ${runs.a}, ${runs.b}, ${methodNumber}, ${promptId}, ${other.json(measure(match(resultsOf(before), resultsOf({ a: "p" }))) as never)}`;
    const asking = [1, 2, 3].map((n) =>
      alice.request(path(runs), { headers: { "x-forwarded-for": `192.0.2.${n}` } }),
    );
    const waiting = () => server.sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into eval_comparisons%'`;
    await until(async () => (await waiting()).count > 0);
    expect((await waiting()).count).toBe(1);
    await other`commit`;
    other.release();
    for (const { json } of await Promise.all(asking)) expect(json.summary.onlyA).toBe(5);
  });

  test("is bounded for a prompt and in all: the oldest goes first", async () => {
    const pairs = [await completed(), await completed(), await completed()];
    for (const runs of pairs) await compare(runs);
    const sizes = await Promise.all(pairs.map(async (runs) => (await kept(runs)).length));
    expect(sizes).toEqual([1, 1, 1]);
    const left = async () => (await Promise.all(pairs.map(kept))).map((rows) => rows.length);
    await pruneComparisons(server.sql, { comparisons: 2, bytes: 1e9 });
    expect(await left()).toEqual([0, 1, 1]);
    const [{ bytes } = { bytes: 0 }] = await kept(pairs[2]!);
    expect(bytes).toBeGreaterThan(0);
    await pruneComparisons(server.sql, { comparisons: 10, bytes }, "prm_of_nobody");
    expect(await left()).toEqual([0, 1, 1]);
    await pruneComparisons(server.sql, { comparisons: 10, bytes });
    expect(await left()).toEqual([0, 0, 1]);
    expect((await compare(pairs[0]!)).json.summary.fixed).toBe(1);
  });
});

describe("where nothing may be written", () => {
  test("it is computed all the same, and so are the pages of cases that changed", {
    tags: "long",
  }, async () => {
    const runs = await completed();
    await setReadOnly(server, "on");
    try {
      await until(async () => (await compare(runs)).status === 200);
      expect((await compare(runs)).json.summary).toMatchObject({ fixed: 1, broken: 2 });
      const keys = (await itemsOf(alice, path(runs, "&only=broken&limit=1"))).map(({ caseKey }) => caseKey);
      expect(keys).toEqual(["b", "e"]);
      expect(await kept(runs)).toEqual([]);
    } finally {
      await setReadOnly(server, "off");
    }
    await until(async () => (await compare(runs)).status === 200);
    expect((await compare(runs)).status).toBe(200);
    expect(await kept(runs)).toHaveLength(1);
  });
});

describe("cases of two runs", () => {
  const letters = fc.array(fc.constantFrom("p", "f", "e", "s"), { minLength: 1, maxLength: 4 });
  const cases = fc.dictionary(
    fc.constantFrom(...Array.from("abcdefghijklmnopqrst")),
    letters.map((all) => all.join("")),
  );

  const weights = fc.dictionary(fc.constantFrom(...Array.from("abcdefghij")), fc.constantFrom(0, 0.5, 2, 9));
  const weighed = (results: TestResult[], by: Record<string, number>) =>
    results.map((result) => ({ ...result, weight: by[result.caseKey] ?? 1 }));

  /** Each range has pairs, of other weights. */
  const ofManyRanges: [Record<string, string>, Record<string, string>, Record<string, number>, number] = [
    { a: "pf", b: "f", c: "e", d: "pp", e: "p", f: "f", g: "p" },
    { a: "p", b: "pp", d: "fe", e: "p", f: "f", g: "f", h: "p" },
    { a: 9, b: 2, c: 0.5, d: 0.5, e: 2 },
    2,
  ];

  test("come to what an independent calculation says, in one range and in many, and are found by their change", async () => {
    await fc.assert(
      fc.asyncProperty(cases, cases, weights, fc.integer({ min: 1, max: 9 }), async (a, b, by, results) => {
        const body = { prompt: "alice/graded", name: `Set ${Math.random()}` };
        const { id: dataset } = (await alice.request("POST /evals/datasets", { body })).json;
        const added = Object.entries(by).map(([key, weight]) => ({ key, weight }));
        if (added.length > 0)
          await alice.request(`POST /evals/datasets/${dataset}/cases`, { body: { cases: added } });
        const runs = {
          a: await report(resultsOf(a), "completed", { dataset }),
          b: await report(resultsOf(b), "completed", { dataset }),
        };
        const rows = await rowsOf(runs);
        const expected = measure(match(weighed(resultsOf(a), by), weighed(resultsOf(b), by)));
        const inMany = await compute(server.sql, rows, { results });
        expect(rounded(inMany)).toEqual(rounded(expected));
        expect(rounded(await compute(server.sql, rows))).toEqual(rounded(expected));

        const all = await itemsOf(alice, path(runs, "&limit=3"));
        expect(all.map(({ caseKey }) => caseKey)).toEqual(
          [...new Set([...Object.keys(a), ...Object.keys(b)])].sort(),
        );
        for (const only of ["changed", "broken", "samePass", "errored", "onlyB"] as const) {
          const wanted = all
            .filter(({ change }) => changesOf(only).includes(change))
            .map(({ caseKey }) => caseKey);
          const found = async (context: Compared) => {
            const { keys } = await keysOf(server.context, context, {
              after: beginning,
              changes: changesOf(only),
              take: 30,
              results,
            });
            return (await keys).map((row) => row["case_key"]);
          };
          expect(
            (await itemsOf(alice, path(runs, `&only=${only}&limit=2`))).map(({ caseKey }) => caseKey),
          ).toEqual(wanted);
          expect(await found(rows)).toEqual(wanted);
          // As if they were running, so that nothing is kept.
          expect(await found({ a: { ...rows.a, status: "running" }, b: rows.b })).toEqual(wanted);
        }
        await alice.request(`DELETE /evals/datasets/${dataset}`);
      }),
      { numRuns: isThorough ? 100 : 5, examples: [ofManyRanges] },
    );
  });

  test("with a thousand attempts each are few on a page", { tags: "long" }, async () => {
    const runs = { a: await report(resultsOf({ a: "p" })), b: await report(resultsOf({ a: "p" })) };
    await server.sql`delete from eval_results where run_id in (${runs.a}, ${runs.b})`;
    await server.sql`
      insert into eval_results (run_id, case_key, attempt, index, status, output_truncated, assertions)
      select run, 'case-' || lpad(c::text, 2, '0'), n, c, 'passed', false, '[]'
      from unnest(${[runs.a, runs.b]}::text[]) run, generate_series(1, 12) c, generate_series(1, 1000) n`;
    const { json } = await compare(runs, "&limit=100");
    expect(json.items).toHaveLength(5);
    expect(json.items[4]).toMatchObject({ caseKey: "case-05", a: { attempts: 1000, passRate: 1 } });
    expect(await itemsOf(alice, path(runs, "&limit=100"))).toHaveLength(12);
    expect(await itemsOf(alice, path(runs, "&only=samePass&limit=7"))).toHaveLength(12);
  });

  test("are found page by page where few of many keys are wanted", async () => {
    const keys = Array.from({ length: 1_000 }, (_, n) => `case-${1000 + n}`);
    const all = Object.fromEntries(keys.map((key) => [key, "p"]));
    const rare = Object.fromEntries(keys.map((key, n) => [key, n % 300 ? "p" : "f"]));
    const runs = {
      a: await report(resultsOf(all), "completed"),
      b: await report(resultsOf(rare), "completed"),
    };
    const broken = await itemsOf(alice, path(runs, "&only=broken"));
    expect(broken.map(({ caseKey }) => caseKey)).toEqual(keys.filter((_, n) => n % 300 === 0));
  });

  test("are found page by page where keys fill several rows", async () => {
    const many = Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`case-${n}`, "p"]));
    const fewer = Object.fromEntries(Object.keys(many).map((key, n) => [key, n % 10 ? "f" : "p"]));
    const runs = {
      a: await report(resultsOf(many), "completed"),
      b: await report(resultsOf(fewer), "completed"),
    };
    const broken = await itemsOf(alice, path(runs, "&only=broken&limit=200"));
    expect(broken.map(({ caseKey }) => caseKey)).toEqual(
      Object.keys(many)
        .filter((_, n) => n % 10)
        .sort(),
    );
  });

  test("are read in ranges that end where one of the runs has so many results", async () => {
    const runs = {
      a: await report(resultsOf({ a: "p", b: "p", c: "pp" })),
      b: await report(resultsOf({ a: "ppp", b: "p" })),
    };
    const endsOf = async (results: number) => {
      const ends: string[] = [];
      for (let after: string | null = beginning; after !== null && ends.length < 9; ends.push(String(after)))
        after = await selectEndOfRange(server.sql, runs, { after, results });
      return ends;
    };
    expect(await endsOf(2)).toEqual(["a", "c", "null"]);
    expect(await endsOf(4)).toEqual(["b", "c", "null"]);
    expect(await endsOf(9)).toEqual(["c", "null"]);
  });

  test("have scores of assertions if both runs together have no more results than can be compared", async () => {
    const { a, b } = await rowsOf(await completed());
    const with20000 = async (more: number) =>
      (await compute(server.sql, { a: { ...a, total: 10_000 + more }, b: { ...b, total: 10_000 } })).metrics;
    expect([await with20000(0), await with20000(1)]).toEqual([[], null]);
  });
});

/** Sums differ in their last digits by the order in which they are added. */
const rounded = (value: object): unknown =>
  JSON.parse(JSON.stringify(value, (_, one) => (typeof one === "number" ? Number(one.toPrecision(9)) : one)));
