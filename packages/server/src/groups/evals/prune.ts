import type { Sql } from "../../database/sql.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { deleteRun, deleteSomeResults, lockSurplusRun, selectSurplusRuns } from "./prune.sql.ts";

/** The newest runs of a prompt that are kept. */
const keptRuns = 5_000;

/** What one sweep forgets at most: more than are reported in a minute. */
const runsPerSweep = 1_000;

/** What one statement deletes of a run, however many results it has. */
const resultsPerStatement = 5_000;

/** Forgets the oldest runs of prompts that have too many, each with its results in a transaction of its own. */
export async function pruneRuns({ sql }: ServerContext, kept = keptRuns): Promise<void> {
  for (const id of await selectSurplusRuns(sql, { kept, limit: runsPerSweep })) {
    await sql.begin((tx) => forget(tx, id));
  }
}

async function forget(sql: Sql, id: string): Promise<void> {
  if (!(await lockSurplusRun(sql, id))) return;
  while (await deleteSomeResults(sql, { runId: id, limit: resultsPerStatement }));
  await deleteRun(sql, id);
}
