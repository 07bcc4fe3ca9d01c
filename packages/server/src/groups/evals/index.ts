import type { ServerGroup } from "../../kernel/group.ts";
import { caseTarget, datasetTarget } from "./dataset-target.ts";
import * as datasets from "./datasets.ts";
import { pruneRuns } from "./prune.ts";
import * as runs from "./runs.ts";
import { runTarget } from "./target.ts";
import { timeOutRuns } from "./time-out.ts";

export const evals = {
  handlers: { datasets, runs },
  targets: { dataset: datasetTarget, case: caseTarget, run: runTarget },
  work: (server) => ({
    async everyMinute() {
      await timeOutRuns(server);
      await pruneRuns(server);
    },
  }),
} satisfies ServerGroup<"evals">;
