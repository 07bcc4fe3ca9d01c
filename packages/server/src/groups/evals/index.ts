import type { ServerGroup } from "../../kernel/group.ts";
import { caseTarget, datasetTarget } from "./dataset-target.ts";
import { compare } from "./compare.ts";
import * as datasets from "./datasets.ts";
import { pruneRuns } from "./prune.ts";
import * as runs from "./runs.ts";
import { scores } from "./scores.ts";
import { runTarget } from "./target.ts";
import { timeOutRuns } from "./time-out.ts";

export const evals = {
  handlers: { compare, datasets, runs, scores },
  targets: { dataset: datasetTarget, case: caseTarget, run: runTarget },
  work: (server) => ({
    async everyMinute() {
      await timeOutRuns(server);
      await pruneRuns(server);
    },
  }),
} satisfies ServerGroup<"evals">;
