import { failedOf, timedOut } from "@promptreg/core/evals";
import { emit } from "../events.ts";
import { publicUrl, type World } from "../world.ts";
import { end, runsOf, wholeSummary } from "./runs.ts";
import { promptOf, showRun } from "./show.ts";

const dayMs = 86_400_000;
/** How many runs of a prompt are kept, the newest ones. */
const keptRuns = 5_000;

/** Does what the server's worker does with runs: it fails those without a report for a day, and deletes surplus ones. */
export function sweep(world: World): void {
  const silent = [...world.runs.values()]
    .filter((run) => run.status === "running" && !run.isDeleted && run.heardAt < world.clock.nowMs() - dayMs)
    .sort((a, b) => a.heardAt - b.heardAt);
  for (const run of silent) {
    end(world, run, timedOut(wholeSummary(world, run)));
    const data = failedOf(showRun(world, run, { isOwner: true }), publicUrl);
    world.events.push(
      emit(world, { caller: null, name: "eval.run.failed", prompt: promptOf(world, run), data }),
    );
  }
  for (const prompt of world.prompts.values())
    for (const run of runsOf(world, prompt).slice(keptRuns))
      if (run.status !== "running" && !run.pinned) world.runs.delete(run.id);
}
