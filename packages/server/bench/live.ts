/**
 * Reads that wait: one label move that ends all waits of many accounts on two servers, against two bare Node servers that
 * answer as many; the memory of a wait; and what others' reads feel of it.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isShort } from "../../../scripts/short.ts";
import { parseDatabaseUrl } from "../src/database/connection.ts";
import { startEmbedded } from "../src/database/embedded.ts";
import { migrate } from "../src/database/migrate.ts";
import { connect } from "../src/database/open.ts";
import { hashToken, makeToken } from "../src/kernel/accounts/token.ts";
import { type ServerProcess, start } from "../test/process.ts";
import { median, print } from "./deliveries/print.ts";
import { openWaiters, type Waiter } from "./live/waiters.ts";

const [waiterCount, accountCount, promptCount, rounds] = isShort ? [40, 4, 10, 2] : [10_000, 50, 1_000, 7];
/** How long others' reads are counted, with and without waits. */
const readSeconds = isShort ? 1 : 30;
const readers = 8;
const list = "/api/v1/prompts?owner=bench&label=production&view=changes";
const version = "/api/v1/prompts/bench/prompt-0?view=version&label=production";

const folder = await mkdtemp(join(tmpdir(), "promptreg-bench-"));
const database = await startEmbedded(folder, { isThrowaway: isShort });
const sql = connect(parseDatabaseUrl(database.url));
const servers: ServerProcess[] = [];
const bare = [0, 1].map(() => fork(join(import.meta.dirname, "live/floor.ts")));
let open: Waiter[] = [];
try {
  await migrate(parseDatabaseUrl(database.url));
  for (const _ of [0, 1])
    servers.push(
      await start(["serve"], {
        DATABASE_URL: database.url,
        PROMPTREG_SECRET: "a secret of the benchmarks, and long enough",
        RATE_LIMITS: "off",
        PORT: "0",
      }),
    );
  const owner = await letIn("bench");
  const tokens = await Promise.all(Array.from({ length: accountCount }, (_, nth) => letIn(`account-${nth}`)));
  for (let nth = 0; nth < promptCount; nth++) await publish(owner, `prompt-${nth}`);
  const etag = await etagNow(servers[1]!.url);
  if (etag !== (await etagNow(servers[0]!.url))) throw new Error("two servers differ about the same list");

  const floorPorts = await Promise.all(
    bare.map(async (child) => ((await once(child, "message")) as [number])[0]),
  );
  const floor = await measure(floorPorts, {
    request: () => "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    wake: async () => {
      await Promise.all(floorPorts.map((port) => fetch(`http://127.0.0.1:${port}`, { method: "POST" })));
    },
    isRight: (text) => text.includes('"versionNumber":2'),
  });

  // Nothing is compiled yet.
  await readRates();
  const before = await readRates();
  const memoryBefore = await memoryOf(servers);
  let version = 1;
  let known = etag;
  const ours = await measure(
    servers.map(({ url }) => Number(new URL(url).port)),
    {
      request: (nth) =>
        `GET ${list} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${tokens[nth % tokens.length]}\r\n` +
        `If-None-Match: ${known}\r\nPrefer: wait=30\r\n\r\n`,
      wake: async () => {
        version = 3 - version;
        await send(owner, "PUT", "/prompts/bench/prompt-1/labels/production", { versionNumber: version });
        known = await etagNow(servers[0]!.url);
      },
      isRight: (text) => text.startsWith("HTTP/1.1 200") && text.includes(`"versionNumber":${version}`),
      whileWaiting: async () => {
        const kilobytes = ((await memoryOf(servers)) - memoryBefore) / waiterCount;
        console.log(`memory of a wait (limit 20)${" ".repeat(46)} ${kilobytes.toFixed(1).padStart(6)} kB`);
      },
    },
  );
  print(`${waiterCount} waits end, median`, { floor: floor.median, ours: ours.median, unit: "ms" });
  print(`${waiterCount} waits end, 99 of 100`, {
    floor: floor.late,
    ours: ours.late,
    unit: "ms",
    limit: "3",
  });

  const ports = servers.map(({ url }) => Number(new URL(url).port));
  open = (await Promise.all(ports.map((port) => openWaiters(waiterCount / 2, { port })))).flat();
  const stopping = new AbortController();
  const follow = async (waiter: Waiter, nth: number) => {
    for (let own = known; !stopping.signal.aborted; ) {
      const { text } = await waiter.wait(
        `GET ${list} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${tokens[nth % tokens.length]}\r\n` +
          `If-None-Match: ${own}\r\nPrefer: wait=30\r\n\r\n`,
      );
      own = /etag: (\S+)/i.exec(text)?.[1] ?? own;
    }
  };
  // As applications begin: not all at once.
  for (const [nth, waiter] of open.entries()) {
    void follow(waiter, nth);
    if (nth % 50 === 0) await delay(100);
  }
  const moving = setTimeout(
    () => {
      void send(owner, "PUT", "/prompts/bench/prompt-1/labels/production", { versionNumber: 3 - version });
    },
    (readSeconds * 1_000) / 2,
  );
  const beside = await readRates();
  clearTimeout(moving);
  stopping.abort();
  for (const waiter of open) waiter.close();
  await delay(1_000);
  const after = await readRates();
  const alone = {
    mean: (before.mean + after.mean) / 2,
    worst: (before.worst + after.worst) / 2,
  };
  print("others' reads of a label beside them, mean", {
    floor: alone.mean,
    ours: beside.mean,
    unit: "/s",
    limit: "0.9",
  });
  print("others' reads of a label beside them, worst second", {
    floor: alone.worst,
    ours: beside.worst,
    unit: "/s",
    limit: "0.5",
  });
} finally {
  for (const waiter of open) waiter.close();
  for (const child of bare) child.kill("SIGKILL");
  await Promise.all(servers.map((server) => server.stop("SIGKILL")));
  await sql.end();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

interface Side {
  request: (nth: number) => string;
  wake: () => Promise<void>;
  isRight: (text: string) => boolean;
  /** Called once, while all wait. */
  whileWaiting?: () => Promise<void>;
}

/** How long after a wake half of the answers are there, and 99 of 100. Every one has to be right. */
async function measure(ports: readonly number[], { request, wake, isRight, whileWaiting }: Side) {
  const waiters = (
    await Promise.all(ports.map((port) => openWaiters(waiterCount / ports.length, { port })))
  ).flat();
  const found = { median: [] as number[], late: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    const answers = waiters.map((waiter, nth) => waiter.wait(request(nth)));
    await delay(isShort ? 300 : 3_000);
    if (round === 0) await whileWaiting?.();
    const startedAt = performance.now();
    await wake();
    const times = (await Promise.all(answers)).map(({ text, at }) => {
      if (!isRight(text)) throw new Error(`a wrong answer: ${text.slice(0, 900)}`);
      return at - startedAt;
    });
    times.sort((a, b) => a - b);
    found.median.push(median(times));
    found.late.push(times[Math.floor(times.length * 0.99)] ?? Number.NaN);
  }
  for (const waiter of waiters) waiter.close();
  return { median: median(found.median), late: median(found.late) };
}

/** How often in a second others read a label, in the mean and in the worst one. */
async function readRates(): Promise<{ mean: number; worst: number }> {
  const counts = Array.from({ length: readSeconds }, () => 0);
  const startedAt = performance.now();
  const read = async (url: string) => {
    for (;;) {
      const second = Math.floor((performance.now() - startedAt) / 1_000);
      if (second >= readSeconds) return;
      await (await fetch(url + version)).text();
      counts[second] = (counts[second] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: readers }, (_, nth) => read(servers[nth % 2]!.url)));
  return { mean: counts.reduce((sum, count) => sum + count, 0) / readSeconds, worst: Math.min(...counts) };
}

/** The memory of processes, in kilobytes. */
async function memoryOf(processes: readonly ServerProcess[]): Promise<number> {
  const sizes = processes.map(async ({ child }) => {
    const status = await readFile(`/proc/${child.pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function etagNow(url: string): Promise<string> {
  const response = await fetch(url + list);
  await response.text();
  return response.headers.get("etag") ?? "";
}

async function letIn(handle: string): Promise<string> {
  const token = makeToken();
  await sql`
    with account as (insert into users (handle) values (${handle}) returning id)
    insert into tokens (user_id, name, hash, prefix, scopes)
    select id, 'bench', ${hashToken(token)}, 'prt_', '{read,write}' from account`;
  return token;
}

async function publish(owner: string, slug: string): Promise<void> {
  const files = [{ path: "PROMPT.md", content: `${slug} `.repeat(2_000 / (slug.length + 1)) }];
  const fields = { kind: "text", slug, title: slug, visibility: "public", labels: ["production"] };
  await send(owner, "POST", "/prompts", { ...fields, files });
  await send(owner, "POST", `/prompts/bench/${slug}/versions`, { files: [{ ...files[0], content: "Two" }] });
}

async function send(token: string, method: string, path: string, body: object): Promise<void> {
  const response = await fetch(`${servers[0]!.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
}
