import { parseDatabaseUrl } from "../../src/database/connection.ts";
import { connectToWork } from "../../src/database/open.ts";
import { trends } from "../../src/groups/index.ts";
import { rankPrompts } from "../../src/groups/prompts/rank.sql.ts";
import { chooseLabelled, readOf } from "./labels.ts";
import { median } from "./measure.ts";
import type { World } from "./world.ts";

/** A core is busy meanwhile; what may not happen is that readers wait for the ranking. */
const limit = 2;
const reads = 40;

/** Ranks all prompts as the worker does every hour, and compares reads of labels meanwhile with those before and after. */
export async function proveRanking({ full, rounds, onFigure }: World): Promise<void> {
  const read = readOf(full, await chooseLabelled(full));
  const sql = connectToWork(parseDatabaseUrl(full.url));
  const quiet: number[] = [];
  const meanwhile: number[] = [];
  const readQuietly = async () => {
    for (let round = 0; round < rounds * reads; round++) quiet.push(await read(round));
  };
  try {
    await readQuietly();
    const startedAt = performance.now();
    const state = { isRanking: true };
    const ranking = rankPrompts(sql, trends).finally(() => (state.isRanking = false));
    for (let round = 0; state.isRanking; round++) meanwhile.push(await read(round));
    await ranking;
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    await readQuietly();
    const [base, ours] = [median(quiet), median(meanwhile)];
    onFigure({ name: `a label during the ranking of ${seconds} s`, base, ours, ratio: ours / base, limit });
  } finally {
    await sql.end();
  }
}
