import { each, expectDone, type Act, type GroupScenes } from "../../../test/scenes.ts";

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

const ofLarge = "prompt=bench/large";

export const scenes: GroupScenes<"evals"> = {
  kinds: {
    run: {
      below: "prompt",
      make: async ({ owner }, { above }) => {
        const { id } = await expectDone(owner, "POST /evals/runs", newRun(above.address));
        return { params: { id }, address: id };
      },
    },
  },
  operations: {
    "runs.list": {
      fill: async ({ owner }, { address }) => {
        for (const _ of [1, 2]) await expectDone(owner, "POST /evals/runs", newRun(address));
      },
      list: {
        path: "/evals/runs",
        queries: [
          ofLarge,
          ...each(`${ofLarge}&version`, "3"),
          ...each(`${ofLarge}&model`, "model-0"),
          ...each(`${ofLarge}&status`, "completed failed"),
          ...each(`${ofLarge}&verdict`, "pass fail"),
        ],
      },
    },
    "runs.create": { body: { versionNumber: 1 } },
    "runs.get": {},
    "runs.update": {},
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
  changes: {
    "a result": append("passed"),
    "a result in place of another": append("failed"),
    "the end of a run": update({ status: "completed" }),
    "that a run is pinned": update({ pinned: true }),
    "one more run": ({ owner }, { prompt }) => expectDone(owner, "POST /evals/runs", newRun(prompt.address)),
  },
};
