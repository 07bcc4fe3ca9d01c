import { afterAll, expect, test } from "vitest";
import { evaluating } from "./evaluated.ts";
import { labelling } from "./labelled.ts";
import { startReal } from "./real.ts";

const registry = await startReal();
afterAll(() => registry.close());
const { client, make, put } = labelling(registry);
const { dataset } = evaluating(client);

interface Tried {
  vars: object;
  description?: string;
}

/** Reports tests as promptfoo writes them, and gives what the registry has of them. */
async function report(slug: string, tried: readonly Tried[], env: Record<string, string> = {}) {
  const lines = tried.map(({ vars, description }, testIdx) =>
    JSON.stringify({ promptIdx: 0, testIdx, provider: "m", vars, testCase: { description }, success: true }),
  );
  const args = ["eval", "report", "-", "--prompt", `ada/${slug}@2`, "--dataset", "smoke", "--json"];
  const { stdout, stderr } = await registry.cli(args, { stdin: lines.join("\n"), env });
  const { run } = JSON.parse(stdout);
  const { items } = await client.evals.runs.results({ id: run.id, query: { limit: 100 } });
  return { keys: items.map(({ caseKey }) => caseKey).toSorted(), cases: run.summary.cases, stderr };
}

async function makeCases(slug: string, cases: Record<string, Record<string, unknown>>) {
  await make(slug, 2);
  await put(slug, "production", 1);
  const { id } = await dataset(slug, "smoke");
  const all = Object.entries(cases).map(([key, variables]) => ({ key, variables }));
  await client.evals.datasets.cases.create({ id, body: { cases: all } });
}

const move = (slug: string) =>
  registry.cli(["label", "move", `ada/${slug}`, "production", "2", "--require-eval", "smoke", "--yes"]);

test("a test of promptfoo is the case of the dataset that has its variables, and counts for a gate", async () => {
  await makeCases("matched", { late: { days: 5, lang: "en" }, lost: { days: 9, lang: "en" } });
  const late = { lang: "en", days: "5", sessionId: "s-1" };
  const other = { lang: "de", days: "5" };
  expect(await report("matched", [{ vars: late }, { vars: other, description: "lost" }])).toEqual({
    keys: ["late", "lost · days=5, lang=de"],
    cases: 1,
    stderr: "",
  });
  expect(await move("matched")).toMatchObject({
    exitCode: 11,
    stderr: expect.stringContaining("has results of 1 of the 2 cases of dataset smoke"),
  });
  const lost = { days: 9, lang: "en" };
  expect(await report("matched", [{ vars: late }, { vars: lost }])).toMatchObject({
    keys: ["late", "lost"],
    cases: 2,
  });
  expect(await move("matched")).toMatchObject({ exitCode: 0 });
});

test("a test that is called as a case is that case, with variables that promptfoo added too", async () => {
  await makeCases("called", { late: { days: "5" }, lost: { days: "9" } });
  const vars = { days: "5", tone: "warm" };
  expect(await report("called", [{ vars, description: "late" }, { vars }])).toMatchObject({
    keys: ["days=5, tone=warm", "late"],
    cases: 1,
  });
});

test("of two cases with the same variables a test is neither", async () => {
  await makeCases("alike", { one: { days: "5" }, two: { days: "5" }, three: { days: "9" } });
  expect(await report("alike", [{ vars: { days: "5" } }, { vars: { days: "9" } }])).toMatchObject({
    keys: ["days=5", "three"],
    cases: 1,
  });
});

test("whoever reports with a token that cannot read the dataset is told that tests are not matched", async () => {
  await makeCases("unread", { late: { days: "5" } });
  const { token } = await registry.createAccount("ada", { scopes: ["evals:write"] });
  const { keys, stderr } = await report("unread", [{ vars: { days: "5" } }], { PROMPTREG_TOKEN: token });
  expect(keys).toEqual(["days=5"]);
  expect(stderr).toBe(
    "This token cannot read the dataset, so tests are not matched with its cases: they count by number.\n",
  );
});
