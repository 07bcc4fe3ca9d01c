/**
 * Every list of the contract, in each order alone and under each filter alone: the time of its first page, and of the
 * page a hundred thousand items further on, which may take half as long again.
 * `npm run bench -- lists [--data <folder>] [--prompts <number>] [--only <name>]`: a folder keeps what was seeded for
 * the next time; a name, such as `prompts.list q=`, leaves all else out.
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
import { makeToken } from "../src/kernel/accounts/token.ts";
import { large, tiny } from "../test/seed/registry.ts";
import { type OnTable, seed } from "../test/seed/seed.ts";
import { letIn, startSide } from "./side.ts";
import { listsOf, unasked } from "../test/group-scenes.ts";
import type { List } from "../test/scenes.ts";
import { isShort } from "../../../scripts/short.ts";

const depth = 100_000;
const limit = 1.5;
const rounds = isShort ? 1 : 25;
/** What a page holds unless asked otherwise, and so what is timed. */
const pageLength = 30;

const text = { type: "string" } as const;
const { values: given } = parseArgs({ options: { data: text, prompts: text, only: text } });
const folder = given.data ?? (await mkdtemp(join(tmpdir(), "promptreg-bench-")));
const database = await startEmbedded(folder, { isThrowaway: isShort });
const token = makeToken();
const failures: string[] = [];
let child: ChildProcess | undefined;
try {
  const lists = await prepare();
  failures.push(
    ...unasked(lists).map((field) => `${field} is in the contract, and nobody asks for it here.`),
  );
  const ours = await startSide("ours", { url: database.url, token });
  child = ours.child;
  const origin = `http://127.0.0.1:${ours.port}/api/v1`;
  for (const [id, { path, queries, broad = [] }] of Object.entries(lists)) {
    for (const query of [...queries, ...broad]) {
      const name = `${id} ${query}`.trim();
      if (name.startsWith(given.only ?? "")) await measure(name, `${origin}${path}?${query}`);
    }
  }
} finally {
  child?.kill("SIGKILL");
  await database.stop();
  if (given.data === undefined) await rm(folder, { recursive: true, force: true });
}
for (const failure of failures) console.error(failure);
process.exitCode = failures.length > 0 ? 1 : 0;

/** Seeds the database unless an earlier run did, and lets `bench` in. */
async function prepare(): Promise<Record<string, List>> {
  const address = parseDatabaseUrl(database.url);
  await migrate(address);
  const sql = connect(address);
  const [known] = await sql`select from users limit 1`;
  if (!known) {
    const size = isShort ? tiny : large;
    const prompts = Number(given.prompts ?? size.prompts);
    const onTable: OnTable = (name, rows, seconds) => {
      const perSecond = Math.round(rows / seconds).toLocaleString("en");
      console.log(
        `seeded ${name.padEnd(20)} ${rows.toLocaleString("en").padStart(10)} rows ${perSecond.padStart(9)}/s`,
      );
    };
    await seed(address, { ...size, prompts }, { onTable });
    await sql`vacuum`;
  }
  await letIn(sql, token);
  const lists = await listsOf(sql);
  await sql.end();
  return lists;
}

/** A list that is too slow far in is measured once more before that counts. */
async function measure(name: string, url: string): Promise<void> {
  const far = await walk(url);
  if (far.cursor === null) {
    if (far.answer === undefined)
      console.log(`${name.padEnd(58)} ${count(far.items)}: too few for two pages`);
    else failures.push(`${name} answered ${far.answer}`);
    return;
  }
  const pages = { first: url, later: `${url}&cursor=${far.cursor}` };
  let times = await timesOf(pages);
  if (times.ratio > limit && !isShort) times = await timesOf(pages);
  const ms = (side: "first" | "later") => `${times[side].toFixed(1).padStart(6)} ms`;
  console.log(
    `${name.padEnd(58)} first ${ms("first")}  after ${count(far.items)} ${ms("later")}  ratio ${times.ratio.toFixed(2)}`,
  );
  if (times.ratio > limit && !isShort)
    failures.push(`${name} is ${times.ratio.toFixed(2)} times as slow after ${far.items}.`);
}

function count(items: number): string {
  return items.toLocaleString("en").padStart(7);
}

interface Far {
  /** It leads to the last full page, but not further than wanted; null when no second page is full. */
  cursor: string | null;
  /** That come before it, or all that there are. */
  items: number;
  /** What was answered, when that is no list. */
  answer?: string;
}

async function walk(url: string): Promise<Far> {
  let far: Far = { cursor: null, items: 0 };
  let [cursor, before] = [null as string | null, 0];
  for (;;) {
    const response = await get(`${url}&limit=100${cursor === null ? "" : `&cursor=${cursor}`}`);
    const text = await response.text();
    if (response.status !== 200)
      return { cursor: null, items: 0, answer: `${response.status}: ${text.slice(0, 200)}` };
    const page = JSON.parse(text) as { items: object[]; nextCursor: string | null };
    if (cursor !== null && page.items.length >= pageLength) far = { cursor, items: before };
    before += page.items.length;
    cursor = page.nextCursor;
    if (cursor === null && far.cursor === null) return { cursor, items: before };
    if (cursor === null || far.items >= depth) return far;
  }
}

/** The median time of each page in milliseconds, in turns, and how many times as long the later one takes. */
async function timesOf(pages: Record<"first" | "later", string>) {
  const times = { first: [] as number[], later: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    for (const side of ["first", "later"] as const) {
      const startedAt = performance.now();
      const response = await get(pages[side]);
      await response.text();
      if (response.status !== 200) throw new Error(`${pages[side]} answered ${response.status}`);
      times[side].push(performance.now() - startedAt);
    }
  }
  const median = (all: number[]) => all.sort((a, b) => a - b)[all.length >> 1]!;
  const [first, later] = [median(times.first), median(times.later)];
  return { first, later, ratio: later / first };
}

function get(url: string): Promise<Response> {
  return fetch(url, { headers: { authorization: `Bearer ${token}` } });
}
