import {
  each,
  expectDone,
  type GroupScenes,
  type Stage,
  type Thing,
  nextNumber,
} from "../../../test/scenes.ts";
import { trends } from "../index.ts";
import { computeBoards } from "./compute.ts";

/** Counts the boards as if an hour had passed since the last time. */
export async function countAgain({ server }: Pick<Stage, "server">): Promise<void> {
  await server.sql`update leaderboards set computed_at = computed_at - interval '1 hour'`;
  await computeBoards(server, trends);
}

/** Reports a run on a public dataset of its own, with as many cases as a board asks for. */
export async function evaluate(
  { owner }: Pick<Stage, "owner">,
  { address }: Thing,
  passed = 20,
  cases = 20,
): Promise<string> {
  const name = `Board ${nextNumber()}`;
  const dataset = await expectDone(owner, "POST /evals/datasets", {
    prompt: address,
    name,
    visibility: "public",
  });
  return reportRun({ owner }, { address, datasetId: dataset.id, passed, cases });
}

/** Reports another run on a dataset. */
export async function reportRun(
  { owner }: Pick<Stage, "owner">,
  {
    address,
    datasetId,
    passed,
    cases,
  }: { address: string; datasetId: string; passed: number; cases: number },
): Promise<string> {
  const run = { prompt: address, versionNumber: 1, model: "m", dataset: datasetId };
  const { id } = await expectDone(owner, "POST /evals/runs", run);
  const results = Array.from({ length: cases }, (_, index) => ({
    index,
    caseKey: `case-${index}`,
    status: index < passed ? "passed" : "failed",
  }));
  await expectDone(owner, `POST /evals/runs/${id}/results`, { results });
  await expectDone(owner, `PATCH /evals/runs/${id}`, { status: "completed" });
  return id;
}

export const scenes: GroupScenes<"leaderboards"> = {
  operations: {
    get: {
      fill: async (stage) => {
        for (const _ of [1, 2]) {
          const { thing } = await stage.make("prompt");
          await expectDone(stage.viewer, `POST /prompts/${thing.address}/star`);
          await evaluate(stage, thing);
        }
        await countAgain(stage);
      },
      list: {
        path: "/leaderboards/prompts",
        queries: ["", ...each("window", "24h 7d 30d all"), ...each("kind", "text"), ...each("tag", "poem")],
      },
    },
  },
  shows: async (stage, { address, params, isDraft }) => {
    if (isDraft) return;
    await expectDone(stage.viewer, `POST /prompts/${address}/star`);
    await evaluate(stage, { address, params });
    await countAgain(stage);
  },
  changes: {
    "another count of the boards": async (stage, { prompt }) => {
      await evaluate(stage, prompt);
      await countAgain(stage);
    },
  },
};
