import type { Sql } from "../../database/sql.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { bounds, pruneComparisons } from "./comparisons.sql.ts";
import {
  deleteRun,
  deleteSomeResults,
  lockSurplusRun,
  selectDeletedRuns,
  selectSurplusRuns,
} from "./prune.sql.ts";

/** How many runs of a prompt are kept, the newest ones. */
const keptRuns = 5_000;

/** Deletes what people deleted, the oldest runs of prompts that have too many, and the oldest comparisons. Each run has its own transaction. */
export async function pruneRuns({ sql }: ServerContext, kept = keptRuns): Promise<void> {
  const deleted = await selectDeletedRuns(sql);
  const surplus = await selectSurplusRuns(sql, { kept });
  for (const id of new Set([...deleted, ...surplus])) await sql.begin((tx) => deleteWhole(tx, id));
  await pruneComparisons(sql, bounds.all);
}

async function deleteWhole(sql: Sql, id: string): Promise<void> {
  if (!(await lockSurplusRun(sql, id))) return;
  while (await deleteSomeResults(sql, id));
  await deleteRun(sql, id);
}
