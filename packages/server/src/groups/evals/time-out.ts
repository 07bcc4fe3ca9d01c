import type { Run } from "@promptreg/core";
import { failedOf, timedOut } from "@promptreg/core/evals";
import type { Sql } from "../../database/sql.ts";
import { emit } from "../../kernel/changes/emit.ts";
import { lockTarget } from "../../kernel/targets/load.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { endRun, selectRun, selectSilentRuns } from "./runs.sql.ts";
import { selectSummary } from "./summary.sql.ts";
import { runTarget } from "./target.ts";

/** Fails runs without a report for a day: the reporter has died, and receivers wait for the event. */
export async function timeOutRuns(server: ServerContext): Promise<void> {
  for (const id of await selectSilentRuns(server.sql)) {
    await server.sql.begin((tx) => timeOut(tx, server, id));
  }
}

async function timeOut(sql: Sql, { publicUrl, bus }: ServerContext, id: string): Promise<void> {
  const run = await lockTarget(sql, runTarget, { id });
  // Checked again under the lock: a report may have come meanwhile, or the run has ended.
  if (run === null || run.status !== "running" || !run.isSilent) return;
  const summary = await selectSummary(sql, id);
  await endRun(sql, id, timedOut(summary));
  const ended = JSON.parse(await selectRun(sql, { id, publicUrl, isOwner: true })) as Run;
  const data = failedOf(ended, publicUrl);
  await emit(sql, { publicUrl, bus, caller: null }, "eval.run.failed", run, data);
}
