/**
 * Eval results over HTTP: how many are appended a second, against a bare insert of the same rows; and how long pages of a
 * comparison take, the first one against the bare join and aggregate of both runs, later ones against a page of results.
 * `--cases=<number>` compares runs of so many.
 */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parseDatabaseUrl } from "../src/database/connection.ts";
import { startEmbedded } from "../src/database/embedded.ts";
import { migrate } from "../src/database/migrate.ts";
import { connect } from "../src/database/open.ts";
import { makeToken } from "../src/kernel/accounts/token.ts";
import { letIn, startSide } from "./side.ts";
import { isShort } from "../../../scripts/short.ts";

const rounds = isShort ? 1 : 7;
const roundMs = isShort ? 200 : 1_500;
const batch = 500;
const { values: given } = parseArgs({
  options: {
    cases: { type: "string", default: isShort ? "10000" : "100000" },
    only: { type: "string", default: "" },
  },
});
const cases = Number(given.cases);

const folder = await mkdtemp(join(tmpdir(), "promptreg-bench-"));
const database = await startEmbedded(folder, { isThrowaway: isShort });
const address = parseDatabaseUrl(database.url);
const sql = connect(address);
const token = makeToken();
const agent = new Agent({ keepAlive: true });
let runs = 0;
await migrate(address);
await letIn(sql, token);
const { child, port } = await startSide("ours", { url: database.url, token });
try {
  const files = [{ path: "PROMPT.md", content: "Say it." }];
  await send("POST", "/prompts", { kind: "text", slug: "graded", title: "Graded", files });
  if (given.only === "") for (const reporters of [1, 8]) await measureAppends(reporters);
  await measureComparison();
} finally {
  child.kill("SIGKILL");
  agent.destroy();
  await sql.end();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measureAppends(reporters: number): Promise<void> {
  const rates = { ours: [] as number[], bare: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const ids = await Promise.all(Array.from({ length: reporters }, newRun));
    const bareIds = await Promise.all(Array.from({ length: reporters }, newRun));
    rates.bare.push(await rateOf(reporters, (who, nth) => insertBare(bareIds[who]!, resultsOf(nth, "b"))));
    rates.ours.push(await rateOf(reporters, (who, nth) => append(ids[who]!, resultsOf(nth, "b"))));
  }
  const ratio = median(rates.ours.map((rate, round) => rate / rates.bare[round]!));
  const perSecond = (all: number[]) => `${Math.round(median(all))} results/s`;
  console.log(
    `append, ${reporters} at once`.padEnd(24),
    `ours ${perSecond(rates.ours)}   bare insert ${perSecond(rates.bare)}   ratio ${ratio.toFixed(2)}, at least 0.6`,
  );
}

async function measureComparison(): Promise<void> {
  const [a, b] = [await newRun(), await newRun()];
  for (let nth = 0; nth * batch < cases; nth++) {
    await append(a, resultsOf(nth, "a"));
    await append(b, resultsOf(nth, "b"));
  }
  for (const id of [a, b]) await send("PATCH", `/evals/runs/${id}`, { status: "completed" });
  await sql`vacuum analyze eval_results`;
  const path = `/evals/compare?a=${a}&b=${b}`;
  const page = async (query: string) => {
    const { nextCursor } = (await send("GET", `${path}${query}`)) as { nextCursor: string };
    return () => send("GET", `${path}${query}&cursor=${nextCursor}`);
  };
  const forget = () => sql`delete from eval_comparisons`;
  await compared(
    "first answer",
    { base: () => compareBare(a, b), ours: () => send("GET", path), before: forget },
    2,
  );
  const results = () => send("GET", `/evals/runs/${b}/results`);
  await compared("first page, kept", { base: results, ours: () => send("GET", path) }, 3);
  for (const query of ["", "&only=changed", "&only=samePass"])
    await compared(`later page ${query}`, { base: results, ours: await page(query) }, 3);
}

interface Sides {
  base: () => PromiseLike<unknown>;
  ours: () => PromiseLike<unknown>;
  before?: () => PromiseLike<unknown>;
}

async function compared(name: string, { base, ours, before }: Sides, most: number): Promise<void> {
  const times = { ours: [] as number[], base: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    times.base.push(await timeOf(base));
    await before?.();
    times.ours.push(await timeOf(ours));
  }
  const ratio = median(times.ours.map((ms, round) => ms / times.base[round]!));
  console.log(
    `compare ${cases}, ${name}`.padEnd(40),
    `ours ${median(times.ours).toFixed(1)} ms   base ${median(times.base).toFixed(1)} ms   ratio ${ratio.toFixed(2)}, at most ${most}`,
  );
}

async function newRun(): Promise<string> {
  const body = { prompt: "bench/graded", versionNumber: 1, model: `model-${++runs}` };
  return ((await send("POST", "/evals/runs", body)) as { id: string }).id;
}

/** Some results of which each tenth failed, and of a second run some others. */
function resultsOf(nth: number, run: "a" | "b") {
  return Array.from({ length: batch }, (_, i) => {
    const index = nth * batch + i;
    const passed = index % 10 !== 0 && (run === "a" || index % 37 !== 0);
    return {
      index,
      caseKey: `the case number ${index}`,
      status: passed ? "passed" : "failed",
      score: passed ? 1 : 0,
      output: `Dear number ${index}, ${"we are glad to hear from you. ".repeat(30)}`,
      assertions: [{ type: "contains", passed, score: passed ? 1 : 0, reason: "As expected" }],
      latencyMs: 800 + (index % 300),
      inputTokens: 300,
      outputTokens: 100,
    };
  });
}
type BenchResult = ReturnType<typeof resultsOf>[number];

function append(id: string, results: BenchResult[]): Promise<unknown> {
  return send("POST", `/evals/runs/${id}/results`, { results });
}

/** What a careful person would write for this one purpose: one statement with all rows. */
function insertBare(runId: string, results: BenchResult[]): PromiseLike<unknown> {
  return sql`
  insert into eval_results ${sql(
    results.map((result) => ({
      run_id: runId,
      case_key: result.caseKey,
      attempt: 1,
      index: result.index,
      status: result.status,
      score: result.score,
      output: result.output,
      output_truncated: false,
      assertions: sql.json(result.assertions) as never,
      latency_ms: result.latencyMs,
      input_tokens: result.inputTokens,
      output_tokens: result.outputTokens,
    })),
  )}`;
}

/** The join and aggregate that a comparison is made of: attempts by case, matched, and counted by what became of them. */
async function compareBare(a: string, b: string): Promise<void> {
  const casesOf = (runId: string) => sql`
    select case_key, avg((status = 'passed')::int::float8) as rate, avg(score) as score
    from eval_results where run_id = ${runId} group by case_key`;
  await sql`
    select sign(b.rate - a.rate) as change, count(*), sum(a.rate), sum(b.rate), sum(a.score), sum(b.score)
    from (${casesOf(a)}) a full join (${casesOf(b)}) b using (case_key) group by 1`;
}

async function send(method: string, path: string, body?: object): Promise<unknown> {
  const json = body && JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${token}`,
    ...(json && { "content-type": "application/json", "content-length": Buffer.byteLength(json) }),
  };
  const sent = request({ agent, port, host: "127.0.0.1", method, path: `/api/v1${path}`, headers });
  sent.end(json);
  const [answer] = await once(sent, "response");
  let text = "";
  for await (const chunk of answer) text += chunk;
  if (answer.statusCode >= 300) throw new Error(`${answer.statusCode}: ${text}`);
  return JSON.parse(text);
}

/** Results per second of that many reporters, each with one batch after the other. */
async function rateOf(
  reporters: number,
  work: (reporter: number, nth: number) => PromiseLike<unknown>,
): Promise<number> {
  const startedAt = performance.now();
  let done = 0;
  const report = async (reporter: number) => {
    for (let nth = 0; performance.now() - startedAt < roundMs; nth++) {
      await work(reporter, nth);
      done += batch;
    }
  };
  await Promise.all(Array.from({ length: reporters }, (_, reporter) => report(reporter)));
  return (done * 1000) / (performance.now() - startedAt);
}

async function timeOf(work: () => PromiseLike<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function median(all: number[]): number {
  return all.toSorted((a, b) => a - b)[all.length >> 1]!;
}
