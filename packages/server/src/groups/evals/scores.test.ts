import { afterAll, beforeAll, expect, test } from "vitest";
import { type Person, startTestServer, type TestServer } from "../../../test/harness.ts";
import { commit, publish } from "../../../test/prompts.ts";
import { itemsOf, type Sender } from "../../../test/requests.ts";

let server: TestServer;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  server = await startTestServer();
  alice = await server.join("alice");
  bob = await server.join("bob");
});
afterAll(() => server.stop());

let last = 0;
/** A prompt with three versions. */
async function threeVersions(): Promise<string> {
  const slug = `graded-${++last}`;
  await publish(alice, slug);
  for (const text of ["Second", "Third"]) await commit(alice, slug, text);
  return `alice/${slug}`;
}

/** Reports a run of which so many of ten cases passed. */
async function report(
  prompt: string,
  versionNumber: number,
  passed: number,
  { status = "completed", ...fields }: { status?: string; model?: string; dataset?: string } = {},
): Promise<string> {
  const body = { prompt, versionNumber, model: "m", threshold: 0.8, ...fields };
  const { json } = await alice.request("POST /evals/runs", { body });
  const results = Array.from({ length: 10 }, (_, index) => ({
    index,
    caseKey: `case-${index}`,
    status: index < passed ? "passed" : "failed",
  }));
  await alice.request(`POST /evals/runs/${json.id}/results`, { body: { results } });
  await alice.request(`PATCH /evals/runs/${json.id}`, { body: { status } });
  return json.id;
}
const createDataset = async (prompt: string, name: string, visibility: string): Promise<string> =>
  (await alice.request("POST /evals/datasets", { body: { prompt, name, visibility } })).json.id;
const scores = async (prompt: string, query = "", who: Sender = alice): Promise<any[]> =>
  (await who.request(`GET /evals/scores?prompt=${prompt}${query}`)).json.items;

test("a version has the score of its latest completed run with a model, and its change since the version before", async () => {
  const prompt = await threeVersions();
  await report(prompt, 1, 3);
  const first = await report(prompt, 1, 9);
  await report(prompt, 1, 2, { status: "failed" });
  const third = await report(prompt, 3, 7);
  expect(await scores(prompt)).toEqual([
    {
      versionNumber: 3,
      model: "m",
      dataset: null,
      runId: third,
      verdict: "fail",
      cases: 10,
      passRate: 0.7,
      score: null,
      finishedAt: expect.any(String),
      pinnedRunId: null,
      trend: expect.closeTo(-0.2),
    },
    expect.objectContaining({ versionNumber: 1, runId: first, verdict: "pass", passRate: 0.9, trend: null }),
  ]);
});

test("each model and each dataset has scores and trends of its own", async () => {
  const prompt = await threeVersions();
  const dataset = await createDataset(prompt, "golden", "public");
  await report(prompt, 1, 5, { model: "a" });
  await report(prompt, 2, 6, { model: "a" });
  await report(prompt, 2, 7, { model: "b" });
  await report(prompt, 2, 8, { model: "a", dataset: "golden" });
  await report(prompt, 3, 9, { model: "a", dataset });
  const shown = (items: any[]) =>
    items.map(({ versionNumber, model, dataset: on, passRate, trend }) => [
      versionNumber,
      model,
      on?.name ?? null,
      passRate,
      trend && Number(trend.toFixed(9)),
    ]);
  const golden = [
    [3, "a", "golden", 0.9, 0.1],
    [2, "a", "golden", 0.8, null],
  ];
  expect(shown(await scores(prompt, `&dataset=${dataset}`))).toEqual(golden);
  expect(shown(await scores(prompt, "&dataset=none&model=a"))).toEqual([
    [2, "a", null, 0.6, 0.1],
    [1, "a", null, 0.5, null],
  ]);
  expect(await scores(prompt)).toHaveLength(5);
  expect(await scores(prompt, "&version=2")).toHaveLength(3);
});

test("a trend says nothing of other cases: it begins anew with each revision of a dataset", async () => {
  const prompt = await threeVersions();
  const dataset = await createDataset(prompt, "growing", "public");
  await report(prompt, 1, 9, { dataset });
  await alice.request(`POST /evals/datasets/${dataset}/cases`, { body: { cases: [{}] } });
  await report(prompt, 2, 5, { dataset });
  await report(prompt, 3, 6, { dataset });
  expect((await scores(prompt)).map(({ trend }) => trend)).toEqual([expect.closeTo(0.1), null, null]);
});

test("pages of scores hold each once", async () => {
  const prompt = await threeVersions();
  for (const version of [1, 2, 3])
    for (const model of ["a", "b"])
      for (const dataset of [undefined, "golden", "other"]) {
        if (version === 1 && model === "a" && dataset) await createDataset(prompt, dataset, "public");
        await report(prompt, version, 5, { model, ...(dataset && { dataset }) });
      }
  const listed = await itemsOf(alice, `GET /evals/scores?prompt=${prompt}&limit=4`);
  expect(listed).toEqual(await scores(prompt, "&limit=100"));
  expect(listed).toHaveLength(18);
});

test("a pinned run is named beside the latest one", async () => {
  const prompt = await threeVersions();
  const pinned = await report(prompt, 1, 10);
  const latest = await report(prompt, 1, 9);
  await alice.request(`PATCH /evals/runs/${pinned}`, { body: { pinned: true } });
  expect(await scores(prompt)).toMatchObject([{ runId: latest, pinnedRunId: pinned }]);
  await alice.request(`DELETE /evals/runs/${pinned}`);
  expect(await scores(prompt)).toMatchObject([{ runId: latest, pinnedRunId: null }]);
});

test("a deleted run has no score: the one before it counts again", async () => {
  const prompt = await threeVersions();
  const earlier = await report(prompt, 1, 10);
  const latest = await report(prompt, 1, 1);
  await alice.request(`DELETE /evals/runs/${latest}`);
  expect(await scores(prompt)).toMatchObject([{ runId: earlier, passRate: 1 }]);
});

test("strangers see the scores on a private dataset without its name, and do not find them by it", async () => {
  const prompt = await threeVersions();
  const dataset = await createDataset(prompt, "secret", "private");
  const runId = await report(prompt, 1, 10, { dataset });
  expect(await scores(prompt, "", bob)).toMatchObject([{ runId, dataset: null }]);
  expect(await scores(prompt, `&dataset=${dataset}`, bob)).toEqual([]);
  expect(await scores(prompt, `&dataset=${dataset}`)).toMatchObject([{ dataset: { id: dataset } }]);
  const { json } = await bob.request(`GET /evals/scores?prompt=${prompt}&limit=1`);
  expect(JSON.stringify(json)).not.toContain(dataset);
});
