/**
 * Searches and suggestions over HTTP, for rare and common words, against the bare statements that they need: a limit of 1.5 times
 * as long at the 95th percentile. `npm run bench -- search [--data <folder>] [--prompts <number>]`: a folder keeps what was seeded,
 * and can be that of `lists`.
 */
import type { ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parseDatabaseUrl } from "../src/database/connection.ts";
import { startEmbedded } from "../src/database/embedded.ts";
import { migrate } from "../src/database/migrate.ts";
import { connect } from "../src/database/open.ts";
import type { Sql } from "../src/database/sql.ts";
import { selectFoundPrompts, selectStems } from "../src/groups/search/found.sql.ts";
import { rankMatches } from "../src/groups/search/rank.sql.ts";
import { selectAlike, selectBeginning } from "../src/groups/search/suggest.sql.ts";
import { makeToken } from "../src/kernel/token.ts";
import { large } from "../test/seed/registry.ts";
import { seed } from "../test/seed/seed.ts";
import { letIn, startSide } from "./side.ts";

const limit = 1.5;
const rounds = 100;
const words = ["agent", "task plan", "check-1500", "zebra"];
const beginnings = ["a", "task", "board-12", "repotr", "xyzzyx"];

const text = { type: "string" } as const;
const { values: given } = parseArgs({ options: { data: text, prompts: text } });
const folder = given.data ?? (await mkdtemp(join(tmpdir(), "promptreg-bench-")));
const database = await startEmbedded(folder);
const address = parseDatabaseUrl(database.url);
const token = makeToken();
const failures: string[] = [];
let child: ChildProcess | undefined;
try {
  await migrate(address);
  const sql = connect(address);
  const [known] = await sql`select from users limit 1`;
  if (!known) await seed(address, { ...large, prompts: Number(given.prompts ?? large.prompts) });
  await letIn(sql, token);
  const side = await startSide("ours", { url: database.url, token });
  child = side.child;
  const origin = `http://127.0.0.1:${side.port}/api/v1/search`;
  for (const q of words)
    await compare(`search ${q}`, `${origin}?q=${encodeURIComponent(q)}`, () => search(sql, q));
  for (const q of beginnings) {
    await compare(`suggest ${q}`, `${origin}/suggest?q=${encodeURIComponent(q)}`, () => suggest(sql, q));
  }
  await sql.end();
} finally {
  child?.kill("SIGKILL");
  await database.stop();
  if (given.data === undefined) await rm(folder, { recursive: true, force: true });
}
for (const failure of failures) console.error(failure);
process.exitCode = failures.length > 0 ? 1 : 0;

/** The statements of a search: rank, and print the page. */
async function search(sql: Sql, q: string): Promise<void> {
  const caller = null;
  const { hits } = await rankMatches(sql, { query: { q }, caller, after: null, take: 31 });
  const viewing = { caller, publicUrl: "" };
  const ids = hits.map(({ id }) => id);
  await Promise.all([selectFoundPrompts(sql, viewing, ids), selectStems(sql, q)]);
}

async function suggest(sql: ReturnType<typeof connect>, q: string): Promise<void> {
  const completing = { text: q, type: undefined, caller: null, most: 10 };
  const found = await selectBeginning(sql, completing);
  if (found.length < 3) await selectAlike(sql, completing);
}

async function compare(name: string, url: string, bare: () => Promise<void>): Promise<void> {
  const times = { ours: [] as number[], bare: [] as number[] };
  const timed = async (all: number[], act: () => Promise<unknown>) => {
    const startedAt = performance.now();
    await act();
    all.push(performance.now() - startedAt);
  };
  for (let round = -5; round < rounds; round++) {
    await timed(times.bare, bare);
    await timed(times.ours, async () => {
      const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
      await response.text();
      if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
    });
  }
  const p95 = (all: number[]) => all.slice(5).sort((a, b) => a - b)[Math.floor(rounds * 0.95)] ?? 0;
  const ratio = p95(times.ours) / p95(times.bare);
  const ms = (all: number[]) => `${p95(all).toFixed(1).padStart(6)} ms`;
  console.log(`${name.padEnd(24)} p95 ${ms(times.ours)}  bare ${ms(times.bare)}  ratio ${ratio.toFixed(2)}`);
  if (ratio > limit) failures.push(`${name} takes ${ratio.toFixed(2)} times as long as its statements.`);
}
