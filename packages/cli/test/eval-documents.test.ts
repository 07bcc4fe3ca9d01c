import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, type ResultInput, type RunComparison } from "@promptreg/client";
import { afterAll, describe, expect, test } from "vitest";
import { gatherDocument } from "../src/evals/documents/gather.ts";
import { htmlOf } from "../src/evals/documents/html/page.ts";
import { writeJunit } from "../src/evals/documents/junit.ts";
import { markdownOf } from "../src/evals/documents/markdown.ts";
import { labelling } from "./labelled.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
afterAll(() => registry.close());
const { client, make } = labelling(registry);

/** A completed run of a version. */
async function report(slug: string, versionNumber: number, results: ResultInput[], fields = {}) {
  const { id } = await client.evals.runs.create({
    body: { prompt: `ada/${slug}`, versionNumber, model: "m", threshold: 0.5, ...fields },
  });
  for (let at = 0; at < results.length; at += 100)
    await client.evals.runs.appendResults({ id, body: { results: results.slice(at, at + 100) } });
  return client.evals.runs.update({ id, body: { status: "completed" } });
}
const result = (index: number, fields: Partial<ResultInput> = {}): ResultInput => ({
  index,
  caseKey: `case-${index}`,
  status: "passed",
  output: `Answer ${index}`,
  ...fields,
});
const compare = async (a: string, b: string, who = client): Promise<RunComparison> =>
  who.evals.compare({ query: { a, b, limit: 1 } });

describe("the document of a comparison", () => {
  test("has the worst cases first, with their outputs, and how earlier versions did", async () => {
    await make("worst", 2);
    const before = await report("worst", 1, [
      ...Array.from({ length: 5 }, (_, at) => result(at)),
      result(5, { status: "failed" }),
      result(6),
    ]);
    const now = await report("worst", 2, [
      result(0),
      result(1, { status: "failed", output: "Wrong", error: "It is wrong." }),
      result(2, { status: "errored", output: null }),
      result(3, { status: "failed" }),
      result(4),
      result(5),
      result(7),
    ]);
    const document = await gatherDocument(client, { run: now, comparison: await compare(before.id, now.id) });
    expect(document.cases.map(({ caseKey, change }) => `${caseKey} ${change}`)).toEqual([
      "case-1 broken",
      "case-3 broken",
      "case-2 errored",
      "case-7 onlyB",
      "case-5 fixed",
      "case-6 onlyA",
      "case-0 samePass",
      "case-4 samePass",
    ]);
    expect(document.cases[0]).toMatchObject({
      before: { result: { output: "Answer 1" }, cut: 0 },
      now: { result: { output: "Wrong" }, cut: 0 },
    });
    expect(document.scores.map(({ versionNumber, runId }) => [versionNumber, runId])).toEqual([
      [1, before.id],
      [2, now.id],
    ]);
    expect(document).toMatchObject({ unread: 0, areCasesVisible: true });

    expect(markdownOf(document)).toContain("- `case-1`: `It is wrong.`\n- `case-3`\n");
    const html = htmlOf(document);
    expect(html).toMatch(/Answer 1<\/pre>[^]*Wrong<\/pre>/);
    expect(html).toContain("Pass rate of 2 versions: ");
  });

  test("shows no case to those who may not read the results", async () => {
    await make("hidden", 2);
    const results = [result(0, { output: "Secret" })];
    const [before, now] = [await report("hidden", 1, results), await report("hidden", 2, results)];
    const { token } = await registry.createAccount("eve");
    const eve = createClient({ ...registry, token });
    const comparison = await compare(before.id, now.id, eve);
    const document = await gatherDocument(eve, { run: comparison.b, comparison });
    expect(document).toMatchObject({ cases: [], areCasesVisible: false });
    expect(htmlOf(document)).toContain("The cases are left out");
    const alone = await gatherDocument(eve, { run: comparison.b, comparison: null });
    expect(alone).toMatchObject({ cases: [], areCasesVisible: false });
  });

  test("is read no further than it is shown", { tags: "long" }, async () => {
    await make("large", 2);
    // Half of 64 KiB each: altogether 60 MB.
    const output = "x".repeat(32 * 1024);
    const results = Array.from({ length: 1000 }, (_, at) => result(at, { output: `${at} ${output}` }));
    const before = await report("large", 1, results);
    const now = await report("large", 2, [
      ...results.slice(0, 990),
      ...results.slice(990).map((one) => ({ ...one, status: "failed" as const })),
    ]);
    let bytes = 0;
    const counted = createClient({
      ...registry,
      fetch: async (...request) => {
        const response = await registry.fetch(...request);
        bytes += (await response.clone().arrayBuffer()).byteLength;
        return response;
      },
    });
    const document = await gatherDocument(counted, {
      run: now,
      comparison: await compare(before.id, now.id),
    });
    expect(bytes).toBeLessThan(32 * 1024 * 1024);
    const { cases, unread } = document;
    expect(cases.slice(0, 10).every(({ change }) => change === "broken")).toBe(true);
    expect(cases.length + unread).toBe(1000);
    expect(unread).toBeGreaterThan(100);
    const kept = cases.reduce((sum, { now }) => sum + (now?.result.output?.length ?? 0), 0);
    expect(kept).toBeLessThan(6 * 1024 * 1024);
    expect(cases[0]?.now).toMatchObject({ cut: 32 * 1024 + 4 - 12_000 });
    const html = htmlOf(document);
    expect(Buffer.byteLength(html)).toBeLessThan(5_000_000);
    expect(html).toContain(`${unread} more are left out`);
  });
});

describe("the document of one run", () => {
  test("has what failed first, and the attempts of a case as one", async () => {
    await make("alone", 1);
    const run = await report("alone", 1, [
      result(0),
      result(1, { caseKey: "flaky", score: 0.9 }),
      result(2, { caseKey: "flaky", attempt: 2, status: "failed", output: "Wrong", score: 0.3 }),
      result(3, { caseKey: "flaky", attempt: 3, status: "errored" }),
      result(4, { status: "skipped" }),
      result(5, { status: "errored" }),
    ]);
    const document = await gatherDocument(client, { run, comparison: null });
    expect(document.cases.map(({ caseKey }) => caseKey)).toEqual(["flaky", "case-5", "case-0", "case-4"]);
    expect(document.cases[0]).toMatchObject({
      change: null,
      before: null,
      now: { attempts: 2, passRate: 0.5, score: 0.6, result: { status: "failed", output: "Wrong" } },
    });
    expect(htmlOf(document)).toContain("50% of 2");
  });

  test("on a dataset that was deleted shows the scores of no other runs", async () => {
    await make("undone", 1);
    await report("undone", 1, [result(0)]);
    const { id } = await client.evals.datasets.create({ body: { prompt: "ada/undone", name: "smoke" } });
    const run = await report("undone", 1, [result(0)], { dataset: "smoke" });
    const scores = async () => {
      const now = await client.evals.runs.get({ id: run.id });
      return (await gatherDocument(client, { run: now, comparison: null })).scores;
    };
    expect(await scores()).toMatchObject([{ runId: run.id }]);
    await client.evals.datasets.delete({ id });
    expect(await scores()).toEqual([]);
  });

  test("is written as JUnit, from what the registry has", async () => {
    await make("junit", 1);
    const run = await report("junit", 1, [result(0), result(1, { status: "failed", error: "No <b>" })]);
    const folder = await mkdtemp(join(tmpdir(), "promptreg-documents-"));
    const path = join(folder, "out.xml");
    await writeJunit(path, client.evals.runs.results({ id: run.id }), { run });
    expect(await readFile(path, "utf8")).toContain(
      '<testcase classname="" name="case-0"/>\n<testcase classname="" name="case-1"><failure message="No &lt;b&gt;"/>',
    );
    await rm(folder, { recursive: true });
  });
});
