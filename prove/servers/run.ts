// Four servers and four workers on one database, behind haproxy. TIMES times one of them is stopped, killed, taken away or added, under the load of
// all kinds of users. Nothing that was acknowledged may be lost, and nothing written twice. Then: a limit and a wait hold over all servers, and a profile
// names the dearest statements, the hottest rows and what is used up first. Needs Debian's packages haproxy and postgresql.
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { createClient } from "../../packages/client/src/index.ts";
import { asUser, freePort, isRoot, pidsOf, postgresFolder, requireProgram } from "../debian.ts";
import { conclude, Fleet, ready, startLoad } from "../load.ts";

const { TIMES = "16" } = process.env;
const profileMs = 15_000;
const folder = mkdtempSync(join(tmpdir(), "promptreg-servers-"));
chmodSync(folder, 0o777);
const problems: string[] = [];
const parts: ReturnType<typeof spawn>[] = [];
let fleet: Fleet | undefined;

const end = () => {
  fleet?.stop();
  for (const part of parts) part.kill("SIGINT");
};
process.once("SIGINT", () => {
  end();
  process.exit(130);
});

/** One of the processes that come and go. */
interface Process {
  kind: "server" | "worker";
  port: number;
  child: ReturnType<typeof spawn> | null;
}
let processes: Process[] = [];

const running = (kind: Process["kind"]) => processes.filter((one) => one.kind === kind && one.child !== null);
const urlOf = ({ port }: Process) => `http://127.0.0.1:${port}`;

try {
  const url = await startPostgres();
  // Everything but searches, which are counted below.
  const free = ["ip", "anon", "read", "write", "evals"].map((policy) => `${policy}=1000000/60`);
  fleet = new Fleet(folder, { DATABASE_URL: url, RATE_LIMITS: free.join(",") });
  fleet.run("migrate");
  fleet.run("user", "add", "ada");
  const token = fleet.run("token", "create", "--user", "ada", "--scopes", "read,write,evals:write");
  processes = await Promise.all(
    Array.from(
      { length: 10 },
      async (_, nth): Promise<Process> => ({
        kind: nth < 5 ? "server" : "worker",
        port: await freePort(),
        child: null,
      }),
    ),
  );
  const start = async (one: Process) => {
    const args = one.kind === "server" ? ["serve", "--no-worker"] : ["worker"];
    one.child = fleet?.start(`${one.kind}-${one.port}`, args, { PORT: `${one.port}` }) ?? null;
    if (one.kind === "server") await ready(urlOf(one));
  };
  const stop = async (one: Process, signal: NodeJS.Signals) => {
    const ended = new Promise((resolve) => one.child?.once("exit", resolve));
    one.child?.kill(signal);
    await ended;
    one.child = null;
  };
  // One of each is added later.
  await Promise.all(processes.filter((_, nth) => nth % 5 < 4).map(start));
  const proxy = await startProxy(processes.filter(({ kind }) => kind === "server").map(({ port }) => port));
  await ready(proxy);
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql`create extension pg_stat_statements`;
  const load = await startLoad({ urls: [proxy, proxy], token });

  const people = createClient({ baseUrl: proxy, token });
  await people.prompts.create({
    body: {
      slug: "live",
      kind: "text",
      title: "Live",
      visibility: "public",
      publish: true,
      files: [{ path: "PROMPT.md", content: "1" }],
      labels: ["production"],
    },
  });
  const changes: [what: string, change: () => Promise<void>][] = (["server", "worker"] as const).flatMap(
    (kind): [string, () => Promise<void>][] => {
      const one = () => running(kind)[0] ?? processes[0];
      const again = (signal: NodeJS.Signals) => async () => {
        const gone = one();
        await stop(gone, signal);
        await start(gone);
      };
      return [
        [`a ${kind} is stopped, and started again`, again("SIGTERM")],
        [`a ${kind} is killed, and started again`, again("SIGKILL")],
        [`a ${kind} is added`, () => start(processes.find((two) => two.kind === kind && !two.child)!)],
        [`a ${kind} is taken away`, () => stop(one(), "SIGTERM")],
      ];
    },
  );
  await delay(3_000);
  const before = { ...load.counts };
  await profile();
  const perSecond = (count: number) => Math.round(count / (profileMs / 1_000));
  console.log(
    `  with ${(["writes", "reads", "lists"] as const).map((name) => `${perSecond(load.counts[name] - before[name])} ${name}`).join(", ")} a second`,
  );
  console.log(`  ${"change".padEnd(44)}refused  failed reads  a move reaches all that wait after`);
  for (let nth = 0; nth < Number(TIMES); nth += 1) {
    const [what, change] = changes[nth % changes.length];
    const before = { ...load.counts };
    load.note(what);
    await change();
    await delay(2_000);
    const liveMs = await move(nth + 2);
    console.log(
      `  ${what.padEnd(44)}${String(load.counts.refused - before.refused).padEnd(9)}${String(load.counts.failedReads - before.failedReads).padEnd(14)}${liveMs} ms`,
    );
  }
  problems.push(...(await load.judge()));
  await checkLimit();
  await sql.end();

  /** Moves a label by one server while all servers have reads that wait for it, and gives when the last one knew. */
  async function move(version: number): Promise<number> {
    const waiting = running("server").flatMap((one) => Array.from({ length: 5 }, () => waitAt(urlOf(one))));
    await delay(500);
    await people.prompts.versions.create({
      owner: "ada",
      slug: "live",
      body: { files: [{ path: "PROMPT.md", content: `${version}` }] },
    });
    const startedMs = performance.now();
    await people.prompts.labels.put({
      owner: "ada",
      slug: "live",
      name: "production",
      body: { versionNumber: version },
    });
    const seen = await Promise.all(waiting);
    if (seen.some(({ number }) => number !== version))
      problems.push(`a read that waited got another version than ${version}`);
    return Math.round(Math.max(...seen.map(({ ms }) => ms)) - startedMs);
  }

  async function waitAt(origin: string): Promise<{ number: number; ms: number }> {
    const address = `${origin}/api/v1/prompts/ada/live?view=version&label=production`;
    const headers = { authorization: `Bearer ${token}` };
    const first = await fetch(address, { headers });
    await first.text();
    const etag = first.headers.get("etag") ?? "";
    const next = await fetch(address, { headers: { ...headers, "if-none-match": etag, prefer: "wait=30" } });
    const { version } = (await next.json()) as { version: { n: number } };
    return { number: version.n, ms: performance.now() };
  }

  /** Searches of one token, in turns at all servers: 30 a minute may pass, and what passes before they have told each other. */
  async function checkLimit(): Promise<void> {
    const statuses: number[] = [];
    for (let nth = 0; nth < 100; nth += 1) {
      const servers = running("server");
      const response = await fetch(`${urlOf(servers[nth % servers.length])}/api/v1/search?q=prompt`, {
        headers: { authorization: `Bearer ${token}` },
      });
      await response.text();
      statuses.push(response.status);
      await delay(100);
    }
    const passed = statuses.filter((status) => status === 200).length;
    console.log(
      `  searches of one token at all servers in turn, 10 a second: ${passed} of 100 passed (30 a minute)`,
    );
    if (passed < 30 || passed > 45 || statuses.some((status) => status !== 200 && status !== 429))
      problems.push(`a limit of 30 let ${passed} pass`);
  }

  /** Says what the load costs while nothing changes. */
  async function profile(): Promise<void> {
    await sql`select pg_stat_statements_reset()`;
    const before = usage();
    const waits = await waitsOf(sql);
    const after = usage();
    const shares = Object.entries(after).map(([kind, seconds]) => {
      const share = (seconds - before[kind as keyof typeof before]) / (profileMs / 1_000);
      return `${kind} ${(100 * share).toFixed(0)} %`;
    });
    console.log(`  of a core: ${shares.join(", ")}`);
    console.log(`  what PostgreSQL was seen to wait for while it ran a statement, of all looks: ${waits}`);
    const statements = await sql<{ share: number; calls: number; ms: number; text: string }[]>`
      select round(100 * total_exec_time / sum(total_exec_time) over ())::int as share, calls::int as calls,
        round(mean_exec_time::numeric, 2)::float as ms, query as text
      from pg_stat_statements order by total_exec_time desc limit 6`;
    for (const { share, calls, ms, text } of statements)
      console.log(
        `  ${String(share).padStart(3)} % of statements' time  ${String(calls).padStart(7)} × ${ms} ms  ${tablesOf(text)}`,
      );
    const rows = await sql<{ name: string; updates: number; rows: number; hot: number }[]>`
      select relname as name, n_tup_upd::int as updates, n_live_tup::int as rows,
        round(100.0 * n_tup_hot_upd / greatest(n_tup_upd, 1))::int as hot
      from pg_stat_user_tables where schemaname = 'promptreg' order by n_tup_upd desc limit 4`;
    for (const { name, updates, rows: count, hot } of rows)
      console.log(
        `  rows of ${name}: ${count}, written again ${updates} times since the start, ${hot} % of these without a change of an index`,
      );
  }
} finally {
  end();
  // PostgreSQL writes into its folder until it has ended.
  const left = parts.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  await Promise.all(left.map((part) => new Promise((resolve) => part.once("exit", resolve))));
}
if (problems.length === 0) rmSync(folder, { recursive: true, force: true });
conclude(problems, folder);

/** A PostgreSQL of Debian's, which has the extension that counts statements. */
async function startPostgres(): Promise<string> {
  const bin = postgresFolder();
  const data = join(folder, "postgres");
  const port = await freePort();
  if (isRoot) execFileSync("chown", ["postgres", folder]);
  execFileSync(...asUser(join(bin, "initdb"), ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8"]), {
    stdio: "ignore",
  });
  const settings = {
    port,
    unix_socket_directories: folder,
    max_connections: 300,
    shared_preload_libraries: "pg_stat_statements",
  };
  const given = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  parts.push(spawn(...asUser(join(bin, "postgres"), ["-D", data, ...given]), { stdio: "ignore" }));
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  for (;;) {
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    const isUp = await sql`select`.then(
      () => true,
      () => false,
    );
    await sql.end();
    if (isUp) return url;
    await delay(200);
  }
}

/** Leads to whichever servers want requests. */
async function startProxy(ports: readonly number[]): Promise<string> {
  requireProgram("haproxy", "haproxy");
  const port = await freePort();
  writeFileSync(
    join(folder, "haproxy.cfg"),
    `defaults
  mode http
  timeout connect 2s
  timeout client 1m
  timeout server 1m
  option redispatch
  retries 3
listen servers
  bind 127.0.0.1:${port}
  balance roundrobin
  option httpchk GET /readyz
  default-server inter 500ms fall 1 rise 1
${ports.map((one) => `  server server-${one} 127.0.0.1:${one} check`).join("\n")}
`,
  );
  parts.push(spawn("haproxy", ["-f", join(folder, "haproxy.cfg")], { stdio: "ignore" }));
  return `http://127.0.0.1:${port}`;
}

/** A statement in few words: its verb and its tables. */
function tablesOf(text: string): string {
  const names = [...text.matchAll(/\b(?:from|join|update|into)\s+(?:only\s+)?([a-z]\w+)/gi)].map(
    ([, name]) => name,
  );
  return `${/\w+/.exec(text)?.[0]} … ${[...new Set(names)].slice(0, 8).join(", ")}`;
}

/** Seconds of processor that the processes of each kind have used. */
function usage(): Record<"servers" | "workers" | "postgres" | "load", number> {
  const sum = (pids: string[]) => pids.reduce((seconds, pid) => seconds + secondsOf(pid), 0);
  const own = process.cpuUsage();
  return {
    servers: sum(running("server").map(({ child }) => String(child?.pid))),
    workers: sum(running("worker").map(({ child }) => String(child?.pid))),
    postgres: sum(pidsOf("-P", `${parts[0]?.pid}`)),
    load: (own.user + own.system) / 1e6,
  };
}

function secondsOf(pid: string): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return 0;
  }
}

/** Looks twenty times a second what sessions that run a statement wait for. */
async function waitsOf(sql: postgres.Sql): Promise<string> {
  const counts = new Map<string, number>();
  for (const endMs = performance.now() + profileMs; performance.now() < endMs; await delay(50)) {
    const rows = await sql<{ what: string }[]>`
      select coalesce(wait_event_type || ' ' || wait_event, 'nothing') as what from pg_stat_activity
      where state = 'active' and pid <> pg_backend_pid() and backend_type = 'client backend'`;
    for (const { what } of rows) counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, 6)
    .map(([what, count]) => `${what} ${((count / all) * 100).toFixed(0)} %`)
    .join(", ");
}
