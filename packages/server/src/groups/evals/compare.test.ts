import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { publish } from "../../../test/prompts.ts";
import { codeOf, itemsOf, type Sender } from "../../../test/requests.ts";

let server: TestServer;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  bob = await server.join("bob");
  await publish(alice, "graded");
});
afterAll(() => server.stop());

const statuses = { p: "passed", f: "failed", e: "errored", s: "skipped" } as const;

interface Reported {
  prompt?: string;
  dataset?: string;
  status?: "running" | "completed" | "failed";
  more?: (index: number, status: string) => object;
}

/** Reports the cases of a run, one attempt a letter: `["p", "pf"]` is two cases. */
async function report(cases: readonly string[], options: Reported = {}): Promise<string> {
  const { prompt = "alice/graded", dataset, status = "completed", more = () => ({}) } = options;
  const body = { prompt, versionNumber: 1, model: "m", ...(dataset && { dataset }) };
  const { json: run } = await alice.request("POST /evals/runs", { body });
  const results = cases.flatMap((attempts, nth) =>
    Array.from(attempts, (letter, index) => ({
      index: nth,
      caseKey: `case-${nth}`,
      attempt: index + 1,
      status: statuses[letter as keyof typeof statuses],
      output: `${letter} of attempt ${index + 1}`,
      ...more(nth, letter),
    })),
  );
  for (let from = 0; from < results.length; from += 1000)
    await alice.request(`POST /evals/runs/${run.id}/results`, {
      body: { results: results.slice(from, from + 1000) },
    });
  if (status !== "running") await alice.request(`PATCH /evals/runs/${run.id}`, { body: { status } });
  return run.id;
}
const many = (count: number, attempts: string) => Array.from({ length: count }, () => attempts);
const address = (a: string, b: string, query = "") => `GET /evals/compare?a=${a}&b=${b}${query}`;
const compare = (a: string, b: string, query = "", who: Sender = alice): Promise<Answer> =>
  who.request(address(a, b, query));
const createDataset = async (name: string, visibility: string): Promise<string> =>
  (await alice.request("POST /evals/datasets", { body: { prompt: "alice/graded", name, visibility } })).json
    .id;

describe("two runs", () => {
  test("are compared case by case, and counted", async () => {
    const a = await report(["p", "f", "p", "f", "e", "p", "s", "p"]);
    const b = await report(["f", "p", "p", "f", "p", "e", "s", "", "p"]);
    const { json } = await compare(a, b);
    expect(json.summary).toEqual({
      broken: 1,
      fixed: 1,
      samePass: 1,
      sameFail: 1,
      onlyA: 1,
      onlyB: 1,
      errored: 3,
    });
    expect(json.items.map(({ caseKey, change }: any) => `${caseKey} ${change}`)).toEqual([
      "case-0 broken",
      "case-1 fixed",
      "case-2 samePass",
      "case-3 sameFail",
      "case-4 errored",
      "case-5 errored",
      "case-6 errored",
      "case-7 onlyA",
      "case-8 onlyB",
    ]);
    expect(json.verdict).toMatchObject({ outcome: "not_comparable", passRate: { pairs: 4, change: 0 } });
    expect(json.verdict.sentences).toContain(
      "Not compared: 1 case of the first run alone, 1 case of the second run alone, " +
        "3 cases that errored or were skipped (1 in the second run alone).",
    );
    expect([json.a.id, json.b.id, json.areItemsVisible, json.nextCursor]).toEqual([a, b, true, null]);
    expect([json.items[7].b, json.items[8].a]).toEqual([null, null]);
  });

  test("average the attempts of a case, and show the worst one", async () => {
    const a = await report(["pppp", "ppff", "pf", "pe"]);
    const b = await report(["pppf", "pppf", "fp", "ee"]);
    const { json } = await compare(a, b);
    expect(json.summary).toMatchObject({ broken: 1, fixed: 1, samePass: 1, errored: 1 });
    expect(json.items[0]).toMatchObject({
      change: "broken",
      a: { attempts: 4, passRate: 1, score: null, result: { attempt: 1, output: "p of attempt 1" } },
      b: { attempts: 4, passRate: 0.75, result: { attempt: 4, status: "failed" } },
    });
    expect(json.items[3].b).toMatchObject({ attempts: 0, passRate: null, result: { status: "errored" } });
    expect(json.verdict.passRate).toMatchObject({ pairs: 3, method: "sign_flip_exact" });
  });

  test.each(["1.5", "0.5x", "-0.1", "1e-3", ""])("take no drop of %j", async (maxDrop) => {
    const run = await report(["p"]);
    expect(codeOf(await compare(run, run, `&maxDrop=${maxDrop}`))).toEqual([422, "validation_failed"]);
  });

  test("count no score of an attempt that errored, nor those of its assertions", async () => {
    const more = (_: number, letter: string) => {
      const score = letter === "p" ? 1 : 0;
      return { score, assertions: [{ type: "close", passed: true, score }] };
    };
    const a = await report(many(5, "p"), { more });
    const b = await report(many(5, "pe"), { more });
    const { verdict } = (await compare(a, b)).json;
    expect([verdict.score.b, verdict.metrics[0].b]).toEqual([1, 1]);
  });

  test("name the case of each side in the dataset of its own run", async () => {
    const dataset = await createDataset("one side", "private");
    await alice.request(`POST /evals/datasets/${dataset}/cases`, { body: { cases: [{ key: "case-0" }] } });
    const [on, off] = [await report(["p"], { dataset }), await report(["p"])];
    const sides = async (a: string, b: string) => {
      const [item] = (await compare(a, b)).json.items;
      return [item.a.result.caseId !== null, item.b.result.caseId !== null];
    };
    expect([await sides(on, off), await sides(off, on)]).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  test("say where one of them has more attempts of a case", async () => {
    const a = await report(["p", "pp", "pe", "e", "p"]);
    const b = await report(["pp", "pp", "pee", "pp", "p"]);
    for (const [first, second] of [
      [a, b],
      [b, a],
    ] as const)
      expect((await compare(first, second)).json.verdict.sentences).toContain(
        "In 1 case one of the runs has more attempts. That makes p less exact: run as many in both.",
      );
  });

  test("of which the second is worse by more than noise are a regression, unless that drop is allowed", async () => {
    const a = await report(many(100, "p"));
    const b = await report([...many(94, "p"), ...many(6, "f")]);
    const { json } = await compare(a, b);
    expect(json.verdict).toMatchObject({ outcome: "regression", regressed: ["passRate"] });
    expect((await compare(b, a)).json.verdict.outcome).toBe("no_regression");
    expect((await compare(a, b, "&maxDrop=0.06")).json.verdict).toMatchObject({
      outcome: "no_regression",
      fell: ["passRate"],
    });
    expect((await compare(a, b, "&maxDrop=0.05")).json.verdict.outcome).toBe("regression");
  });

  test("compare overall scores, and those of assertions by their type", async () => {
    const scored = (score: number) => ({
      more: (index: number) => ({
        score,
        assertions: [
          { type: "faithful", passed: true, score: score / 2 },
          { type: "faithful", passed: true, score: index % 2 },
          { type: "contains", passed: true },
          { type: "__proto__", passed: true, score: 1 },
        ],
      }),
    });
    const a = await report(many(10, "p"), scored(0.9));
    const b = await report(many(10, "p"), scored(0.5));
    const { verdict } = (await compare(a, b)).json;
    expect(verdict).toMatchObject({ outcome: "regression", regressed: ["score"], passRate: { change: 0 } });
    expect(verdict.score).toMatchObject({ pairs: 10, a: expect.closeTo(0.9), change: expect.closeTo(-0.4) });
    expect(verdict.metrics).toMatchObject([
      { name: "__proto__", pairs: 10, change: 0 },
      { name: "faithful", pairs: 10, change: expect.closeTo(-0.1), pWorse: expect.closeTo(1 / 2048) },
    ]);
  });

  test("show the twenty metrics of most cases", async () => {
    const more = (index: number) => ({
      assertions: Array.from({ length: index === 0 ? 30 : 1 }, (_, n) => ({
        type: `metric-${29 - n}`,
        passed: true,
        score: 1,
      })),
    });
    const run = await report(many(5, "p"), { more });
    const other = await report(many(5, "p"), { more });
    const { metrics } = (await compare(run, other)).json.verdict;
    expect(metrics).toHaveLength(20);
    expect(metrics[0]).toMatchObject({ name: "metric-29", pairs: 5 });
  });

  test("leave out scores of assertions that no sum can hold", async () => {
    const more = () => ({
      assertions: [
        { type: "odd", passed: true, score: 1.7e308 },
        { type: "largest", passed: true, score: 1e100 },
      ],
    });
    const [a, b] = [await report(many(5, "p"), { more }), await report(many(5, "p"), { more })];
    expect((await compare(a, b)).json.verdict.metrics).toMatchObject([{ name: "largest", pairs: 5 }]);
  });
});

describe("a list of compared cases", () => {
  test("has each once over its pages, and the verdict on the first", async () => {
    const a = await report(many(25, "p"));
    const b = await report([...many(20, "f"), "", "", ...many(8, "p")]);
    const { json: whole } = await compare(a, b, "&limit=100");
    expect(whole.items).toHaveLength(30);
    expect(await itemsOf(alice, address(a, b, "&limit=7"))).toEqual(whole.items);
    const { json: first } = await compare(a, b, "&limit=7");
    const { json: second } = await compare(a, b, `&limit=7&cursor=${first.nextCursor}`);
    expect([first.summary, first.verdict]).toEqual([whole.summary, whole.verdict]);
    expect([second.summary, second.verdict]).toEqual([null, null]);
  });

  test("can have those alone that changed, or changed in one way, or one case", async () => {
    const a = await report(["p", "p", "f", "f", "p", "e"]);
    const b = await report(["p", "f", "p", "f", "", "p", "p"]);
    const keys = async (query: string) =>
      (await compare(a, b, query)).json.items.map(({ caseKey }: any) => caseKey);
    expect(await keys("&only=changed")).toEqual(["case-1", "case-2", "case-4", "case-5", "case-6"]);
    expect(await keys("&only=broken")).toEqual(["case-1"]);
    expect(await keys("&only=sameFail")).toEqual(["case-3"]);
    expect(await keys("&caseKey=case-2")).toEqual(["case-2"]);
    expect(await keys("&caseKey=case-2&only=broken")).toEqual([]);
    expect((await compare(a, b, "&only=broken")).json.summary.fixed).toBe(1);
  });

  test("ends a page early if outputs are long", { tags: "long" }, async () => {
    const more = () => ({ output: "x".repeat(60_000) });
    const [a, b] = [await report(many(120, "p"), { more }), await report(many(120, "p"), { more })];
    const { json } = await compare(a, b, "&limit=500");
    expect(json.items.length).toBeLessThan(100);
    expect(await itemsOf(alice, address(a, b, "&limit=500"))).toHaveLength(120);
  });
});

describe("runs cannot be compared", () => {
  const outcome = async (a: string, b: string) => {
    const { outcome, sentences } = (await compare(a, b)).json.verdict;
    return [outcome, sentences[0]];
  };

  test("if they are of two prompts: it is refused", async () => {
    await publish(alice, "other");
    const other = await report(["p"], { prompt: "alice/other" });
    expect(codeOf(await compare(await report(["p"]), other))).toEqual([422, "runs_not_comparable"]);
  });

  test("if one of them has not completed, or they are the same: the verdict says so", async () => {
    const done = await report(many(5, "p"));
    expect(await outcome(done, done)).toEqual([
      "not_comparable",
      "Not comparable: this is one run. Compare it with another one.",
    ]);
    expect(await outcome(done, await report(many(5, "p"), { status: "running" }))).toEqual([
      "not_comparable",
      "Not comparable: the second run is still running. Complete it.",
    ]);
    expect(await outcome(await report(many(5, "p"), { status: "failed" }), done)).toEqual([
      "not_comparable",
      "Not comparable: the first run failed. Report it again.",
    ]);
  });

  test("if they are of different datasets, or of different revisions of one", async () => {
    const dataset = await createDataset("golden", "public");
    const first = await report(many(5, "p"), { dataset });
    expect(await outcome(await report(many(5, "p")), first)).toEqual([
      "not_comparable",
      "Not comparable: the runs are of different datasets, or one of them is of none.",
    ]);
    expect((await outcome(first, await report(many(5, "p"), { dataset })))[0]).toBe("no_regression");
    await alice.request(`POST /evals/datasets/${dataset}/cases`, { body: { cases: [{}] } });
    expect(await outcome(first, await report(many(5, "p"), { dataset }))).toEqual([
      "not_comparable",
      "Not comparable: the cases of the dataset changed between the runs. Report the first version again.",
    ]);
  });
});

describe("who sees a comparison", () => {
  test("everybody sees the verdict on runs that they see, and the cases of public datasets alone", async () => {
    await createDataset("open", "public");
    await createDataset("closed", "private");
    const named = () => ({ assertions: [{ type: "of-acme", passed: true, score: 1 }] });
    const [open, closed] = await Promise.all(
      ["open", "closed"].map(async (dataset) => [
        await report(many(5, "p"), { dataset, more: named }),
        await report(many(5, "p"), { dataset, more: named }),
      ]),
    );
    for (const who of [bob, server.nobody]) {
      const { json: shown } = await compare(open![0]!, open![1]!, "", who);
      expect([shown.areItemsVisible, shown.items.length, shown.verdict.outcome]).toEqual([
        true,
        5,
        "no_regression",
      ]);
      const { json: hidden, text } = await compare(closed![0]!, closed![1]!, "", who);
      expect([hidden.areItemsVisible, hidden.items, hidden.summary.samePass]).toEqual([false, [], 5]);
      expect(text).not.toMatch(/closed|of-acme/);
      expect([shown.verdict.metrics.length, hidden.verdict.metrics]).toEqual([1, null]);
      expect((await compare(open![0]!, closed![1]!, "", who)).json.items).toEqual([]);
    }
  });

  test("nobody sees one of a private prompt's runs beside", async () => {
    await publish(alice, "hidden", { visibility: "private" });
    const hidden = await report(["p"], { prompt: "alice/hidden" });
    const shown = await report(["p"]);
    expect(codeOf(await compare(shown, hidden, "", bob))).toEqual([404, "not_found"]);
    expect(codeOf(await compare(hidden, shown, "", bob))).toEqual([404, "not_found"]);
  });
});
