/**
 * Resolving a label, and a pinned version with and without a 304, against the least that could be done; a post against a prompt of the same text;
 * and a read that analytics count against the owner's, which they do not; and one with metrics, without spans, and with those of all requests and of a tenth.
 * `npm run bench -- reads [connections]`: 32 unless it says otherwise.
 */
import type { ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseDatabaseUrl } from "../src/database/connection.ts";
import { startEmbedded } from "../src/database/embedded.ts";
import { migrate } from "../src/database/migrate.ts";
import { connect } from "../src/database/open.ts";
import { makeToken } from "../src/kernel/accounts/token.ts";
import { type BenchServer, letIn, startSide } from "./side.ts";
import { type Answered, openLoad } from "../../../scripts/bench/load.ts";
import { isShort } from "../../../scripts/short.ts";

const connections = Number(process.argv[2] ?? 32);
/** Each pair of servers is measured a few times: how a process runs is settled early, and differs by a tenth. */
const pairsOfServers = isShort ? 1 : 5;
const rounds = isShort ? 1 : 4;
const roundMs = isShort ? 100 : 500;
const warmUpMs = isShort ? 100 : 1_000;

const folder = await mkdtemp(join(tmpdir(), "promptreg-bench-"));
const database = await startEmbedded(folder, { isThrowaway: isShort });
const token = makeToken();
const readerToken = makeToken();
const children = new Set<ChildProcess>();
try {
  await migrate(parseDatabaseUrl(database.url));
  await seedAccount();
  const prompt = "/api/v1/prompts/bench/hot";
  const ownersHeaders = { authorization: `Bearer ${token}` };
  const readersHeaders = { authorization: `Bearer ${readerToken}` };
  const ask = (side: BenchServer, path: string, headers = ownersHeaders) => ({ side, path, headers });
  const post = ask("ours", "", readersHeaders);
  const pinned = (headers = ownersHeaders) => ({
    floor: ask("floor", "/pinned", headers),
    ours: ask("ours", `${prompt}/versions/1`, headers),
  });
  const knowing = { ...ownersHeaders, "if-none-match": "" };
  const label = `${prompt}?label=production&view=version`;
  const reads: Read[] = [
    {
      name: "resolve a label (limit 1.50)",
      floor: ask("floor", "/label"),
      ours: ask("ours", label),
      rates: [],
    },
    { name: "pinned version, 200 (limit 1.50)", ...pinned(), rates: [] },
    { name: "pinned version, 304 (limit 1.50)", ...pinned(knowing), rates: [] },
    {
      name: "a prompt, and a post (limit 0.90)",
      floor: ask("ours", prompt, readersHeaders),
      ours: post,
      rates: [],
    },
    {
      name: "a label, not counted and counted",
      floor: ask("ours", label),
      ours: ask("ours", label, readersHeaders),
      rates: [],
    },
    { name: "a label, with metrics", floor: ask("ours", label), ours: ask("metered", label), rates: [] },
    {
      name: "a label, with metrics and all spans",
      floor: ask("ours", label),
      ours: ask("traced", label),
      rates: [],
    },
    {
      name: "a label, with a tenth of the spans",
      floor: ask("ours", label),
      ours: ask("sampled", label),
      rates: [],
    },
  ];
  for (let pair = 0; pair < pairsOfServers; pair++) {
    const ports = {
      floor: await start("floor"),
      ours: await start("ours"),
      metered: await start("metered"),
      traced: await start("traced"),
      sampled: await start("sampled"),
    };
    const seeded = await seedTexts(ports.ours);
    knowing["if-none-match"] = seeded.etag;
    post.path = `/api/v1/posts/${seeded.postId}`;
    // A process that has served more reads is faster, so that each serves as many before the first comparison.
    for (const side of ["ours", "metered", "traced", "sampled"] as const)
      await warmUp(ask(side, label), ports);
    for (const read of reads.toReversed()) await measure(read, ports);
    for (const child of children) child.kill("SIGKILL");
    children.clear();
  }
  reads.forEach(print);
} finally {
  for (const child of children) child.kill("SIGKILL");
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

type Side = "floor" | "ours";

/** Two kinds of read, which of the two servers each asks, and what they reached, round by round. */
interface Read extends Record<Side, { side: BenchServer; path: string; headers: Record<string, string> }> {
  name: string;
  rates: Record<Side, Answered>[];
}

async function start(side: BenchServer): Promise<number> {
  const { child, port } = await startSide(side, { url: database.url, token });
  children.add(child);
  return port;
}

async function seedAccount(): Promise<void> {
  const sql = connect(parseDatabaseUrl(database.url));
  await letIn(sql, token);
  await sql`update users set trusted_author = true`;
  await letIn(sql, readerToken, "reader");
  await sql.end();
}

/** Makes what is read, unless an earlier pair of servers did, and gives the tag of the prompt and the id of the post. */
async function seedTexts(port: number): Promise<{ etag: string; postId: string }> {
  const call = (method: string, path: string, body?: object) =>
    fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
  const content = `You answer {{customer}} about {{product}}.\n${"Be brief, warm and exact. ".repeat(40)}`;
  await call("POST", "/prompts", {
    kind: "text",
    visibility: "public",
    slug: "hot",
    title: "Hot",
    files: [{ path: "PROMPT.md", content }],
  });
  await call("PUT", "/prompts/bench/hot/labels/production", { versionNumber: 1 });
  const made = await call("POST", "/posts", { title: "Hot", slug: "hot", body: content });
  if (made.ok) await call("POST", `/posts/${((await made.json()) as { id: string }).id}/submit`, {});
  const posts = await call("GET", "/posts?author=bench");
  const { items } = (await posts.json()) as { items: { id: string }[] };
  const answer = await call("GET", "/prompts/bench/hot/versions/1");
  return { etag: answer.headers.get("etag") ?? "", postId: items[0]?.id ?? "" };
}

async function warmUp({ side, ...asked }: Read[Side], ports: Record<BenchServer, number>): Promise<void> {
  const load = await openLoad({ port: ports[side], ...asked }, connections);
  await load.run(3 * warmUpMs);
  load.close();
}

async function measure(read: Read, ports: Record<BenchServer, number>): Promise<void> {
  const open = ({ side, ...asked }: Read[Side]) => openLoad({ port: ports[side], ...asked }, connections);
  const floor = await open(read.floor);
  const ours = await open(read.ours);
  await floor.run(warmUpMs);
  await ours.run(warmUpMs);
  for (let round = 0; round < rounds; round++) {
    read.rates.push({ floor: await floor.run(roundMs), ours: await ours.run(roundMs) });
  }
  floor.close();
  ours.close();
}

function print({ name, rates }: Read): void {
  const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  const ratioOf = (what: keyof Answered) =>
    median(rates.map(({ ours, floor }) => ours[what] / floor[what])).toFixed(2);
  const rate = (side: Side) => Math.round(median(rates.map((one) => one[side].rate)));
  const late = (side: Side) => median(rates.map((one) => one[side].lateMs)).toFixed(1);
  console.log(
    `${name.padEnd(36)} floor ${rate("floor")}/s  ours ${rate("ours")}/s  ratio ${ratioOf("rate")}` +
      `   99 of 100 within ${late("floor")} ms, ours ${late("ours")} ms, ratio ${ratioOf("lateMs")}`,
  );
}
