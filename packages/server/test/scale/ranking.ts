import { parseDatabaseUrl } from "../../src/database/connection.ts";
import { connectToWork } from "../../src/database/open.ts";
import { trends } from "../../src/groups/index.ts";
import { rankPrompts } from "../../src/groups/prompts/rank.sql.ts";
import { chooseLabelled, readOf } from "./labels.ts";
import { quantile } from "./measure.ts";
import type { World } from "./world.ts";

/** A core is busy meanwhile; what may not happen is that readers wait for the ranking. */
const limit = 2;
const reads = 40;

/** Ranks all prompts as the worker does every hour, and compares reads of labels meanwhile with those before. */
export async function proveRanking(world: World): Promise<void> {
  const { full, rounds } = world;
  const read = readOf(full, await chooseLabelled(full));
  const before: number[] = [];
  for (let round = 0; round < rounds * reads; round++) before.push(await read(round));
  const sql = connectToWork(parseDatabaseUrl(full.url));
  const startedAt = performance.now();
  let isRanking = true;
  const ranking = rankPrompts(sql, trends).finally(() => (isRanking = false));
  const meanwhile: number[] = [];
  for (let round = 0; isRanking; round++) meanwhile.push(await read(round));
  await ranking;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  await sql.end();
  const name = `a label during the ranking (${seconds} s)`;
  world.onFigure({ name, base: quantile(before, 0.5), ours: quantile(meanwhile, 0.5), limit });
}
