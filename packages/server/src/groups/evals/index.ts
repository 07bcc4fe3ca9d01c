import type { ServerGroup } from "../../kernel/group.ts";
import { pruneRuns } from "./prune.ts";
import * as runs from "./runs.ts";
import { runTarget } from "./target.ts";
import { timeOutRuns } from "./time-out.ts";

export const evals = {
  handlers: { runs },
  targets: { run: runTarget },
  work: (server) => ({
    async everyMinute() {
      await timeOutRuns(server);
      await pruneRuns(server);
    },
  }),
} satisfies ServerGroup<"evals">;
