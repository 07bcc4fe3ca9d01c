import type { Sql } from "../../database/sql.ts";
import { each, expectDone, type Act, type GroupScenes, nextNumber } from "../../../test/scenes.ts";

const newRun = (prompt: string) => ({ prompt, versionNumber: 1, model: "m" });
const append =
  (status: string): Act =>
  ({ owner }, { run }) =>
    expectDone(owner, `POST /evals/runs/${String(run.params["id"])}/results`, {
      results: [{ index: 0, caseKey: "a", status }],
    });
const update =
  (body: object): Act =>
  ({ owner }, { run }) =>
    expectDone(owner, `PATCH /evals/runs/${String(run.params["id"])}`, body);

const newCases = { cases: [{ variables: { name: "Ada" }, tags: ["short"] }, { tags: ["short"] }] };
const addCases: Act = ({ owner }, { dataset }) =>
  expectDone(owner, `POST /evals/datasets/${dataset.address}/cases`, newCases);
const ofCase =
  (method: string, body?: object): Act =>
  ({ owner }, { case: { address, params } }) =>
    expectDone(owner, `${method} /evals/datasets/${String(params["id"])}/cases/${address}`, body);
const editDataset =
  (body: object): Act =>
  ({ owner }, { dataset }) =>
    expectDone(owner, `PATCH /evals/datasets/${dataset.address}`, body);

const ofLarge = "prompt=bench/large";
/** The dataset with the most cases. */
const datasetOfLarge = async (sql: Sql): Promise<string> => {
  const [dataset] = await sql<{ id: string }[]>`select id from eval_datasets where case_count = 10000`;
  return dataset?.id ?? "none";
};

export const scenes: GroupScenes<"evals"> = {
  kinds: {
    dataset: {
      below: "prompt",
      make: async ({ owner }, { above }) => {
        const dataset = { prompt: above.address, name: `Set ${nextNumber()}`, visibility: "public" };
        const { id } = await expectDone(owner, "POST /evals/datasets", dataset);
        return { params: { id }, address: id };
      },
      remove: ({ owner }, { address }) => expectDone(owner, `DELETE /evals/datasets/${address}`),
    },
    case: {
      below: "dataset",
      make: async ({ owner }, { above }) => {
        const { items } = await expectDone(owner, `POST /evals/datasets/${above.address}/cases`, newCases);
        return { params: { ...above.params, caseId: items[0].id }, address: items[0].id };
      },
    },
    run: {
      below: "prompt",
      make: async ({ owner }, { above }) => {
        const { id } = await expectDone(owner, "POST /evals/runs", newRun(above.address));
        return { params: { id }, address: id, as: { reader: owner } };
      },
    },
  },
  operations: {
    "datasets.list": {
      fill: async ({ owner }, { address: prompt }) => {
        for (const name of ["a", "b"]) await expectDone(owner, "POST /evals/datasets", { prompt, name });
      },
      list: { path: "/evals/datasets", queries: [ofLarge] },
    },
    "datasets.create": { body: { name: "Golden" } },
    "datasets.get": {},
    "datasets.update": {},
    "datasets.delete": {},
    "datasets.import": { text: "key,name\na,Ada\n", isEchoing: true },
    "datasets.cases.list": {
      fill: ({ owner }, { address }) => expectDone(owner, `POST /evals/datasets/${address}/cases`, newCases),
      // A rare tag is looked for among the cases of one dataset, which are 10,000 at most.
      list: async (sql) => ({
        path: `/evals/datasets/${await datasetOfLarge(sql)}/cases`,
        queries: [""],
        broad: ["tag=rare"],
      }),
    },
    "datasets.cases.create": { body: { cases: [{}] } },
    "datasets.cases.update": {},
    "datasets.cases.delete": { isAudited: false },
    "runs.list": {
      fill: async ({ owner }, { address }) => {
        for (const _ of [1, 2]) await expectDone(owner, "POST /evals/runs", newRun(address));
      },
      list: async (sql) => ({
        path: "/evals/runs",
        queries: [
          ofLarge,
          ...each(`${ofLarge}&version`, "3"),
          ...each(`${ofLarge}&dataset`, `none ${await datasetOfLarge(sql)}`),
          ...each(`${ofLarge}&model`, "model-0"),
          ...each(`${ofLarge}&status`, "completed failed"),
          ...each(`${ofLarge}&verdict`, "pass fail"),
        ],
      }),
    },
    "runs.create": { body: { versionNumber: 1 } },
    "runs.get": {},
    "runs.update": {},
    "runs.delete": {},
    compare: {
      fill: async ({ owner }, a) => {
        const results = ["a", "b"].map((caseKey, index) => ({ caseKey, index, status: "passed" }));
        await expectDone(owner, `POST /evals/runs/${a.address}/results`, { results });
      },
      list: async (sql) => {
        // The two runs of the most results.
        const runs = await sql<{ id: string }[]>`
          select r.id from eval_runs r join prompts p on p.id = r.prompt_id where p.slug = 'large' order by r.id desc limit 2`;
        const both = `a=${runs[1]?.id}&b=${runs[0]?.id}`;
        return {
          path: "/evals/compare",
          // Matching two runs reads all of their results.
          queries: [],
          broad: [both, `${both}&only=changed`, `${both}&caseKey=case-7`, `${both}&maxDrop=0.1`],
        };
      },
    },
    scores: {
      fill: async ({ owner }, { address }) => {
        for (const model of ["a", "b"]) {
          const { id } = await expectDone(owner, "POST /evals/runs", { ...newRun(address), model });
          await expectDone(owner, `PATCH /evals/runs/${id}`, { status: "completed" });
        }
      },
      list: async (sql) => ({
        path: "/evals/scores",
        queries: [
          ofLarge,
          ...each(`${ofLarge}&version`, "3"),
          ...each(`${ofLarge}&model`, "model-0"),
          ...each(`${ofLarge}&dataset`, `none ${await datasetOfLarge(sql)}`),
        ],
      }),
    },
    "runs.results": {
      fill: ({ owner }, { address }) => {
        const results = ["a", "b"].map((caseKey, index) => ({ caseKey, index, status: "passed" }));
        return expectDone(owner, `POST /evals/runs/${address}/results`, { results });
      },
      list: async (sql) => {
        const [run] = await sql<{ id: string }[]>`
          select max(r.id) as id from eval_runs r join prompts p on p.id = r.prompt_id where p.slug = 'large'`;
        return {
          path: `/evals/runs/${run?.id}/results`,
          queries: ["", ...each("status", "passed failed skipped")],
        };
      },
    },
    "runs.appendResults": {},
  },
  shows: async ({ owner }, { address: prompt, word, isDraft }) => {
    const named = { prompt, name: word, visibility: "public" };
    const { id: dataset } = await expectDone(owner, "POST /evals/datasets", named);
    await expectDone(owner, `POST /evals/datasets/${dataset}/cases`, { cases: [{ key: word }] });
    const shown = { dataset: { params: { id: dataset }, address: dataset } };
    if (isDraft) return shown;
    const { id: run } = await expectDone(owner, "POST /evals/runs", { ...newRun(prompt), model: word });
    return { ...shown, run: { params: { id: run }, address: run } };
  },
  counts: {
    "dataset.caseCount": {
      list: ({ address }) => `/evals/datasets/${address}/cases`,
      changes: {
        "a case": [
          1,
          ({ owner }, { address }) =>
            expectDone(owner, `POST /evals/datasets/${address}/cases`, { cases: [{ tags: ["one"] }] }),
        ],
        "the end of a case": [
          -1,
          async ({ owner }, { address }) => {
            const { items } = await expectDone(owner, `GET /evals/datasets/${address}/cases`);
            await expectDone(owner, `DELETE /evals/datasets/${address}/cases/${items[0].id}`);
          },
        ],
      },
    },
  },
  changes: {
    "new cases": addCases,
    "an edit of a case": ofCase("PATCH", { expected: "Hello" }),
    "the end of a case": ofCase("DELETE"),
    "another name of a dataset": editDataset({ name: "Renamed" }),
    "another description of a dataset": editDataset({ description: "What it has" }),
    "a dataset that turns private": editDataset({ visibility: "private" }),
    "a dataset that turns public": editDataset({ visibility: "public" }),
    "one more dataset": ({ owner }, { prompt }) =>
      expectDone(owner, "POST /evals/datasets", {
        prompt: prompt.address,
        name: "Another",
        visibility: "public",
      }),
    "a result": append("passed"),
    "a result in place of another": append("failed"),
    "the end of a run": update({ status: "completed" }),
    "that a run is pinned": update({ pinned: true }),
    "the end of a run's time": ({ owner }, { run }) =>
      expectDone(owner, `DELETE /evals/runs/${String(run.params["id"])}`),
    "one more run": ({ owner }, { prompt }) => expectDone(owner, "POST /evals/runs", newRun(prompt.address)),
  },
};
