/** Resolving a label, and a pinned version with and without a 304, against the least that could be done. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseDatabaseUrl } from "../src/database/connection.ts";
import { startEmbedded } from "../src/database/embedded.ts";
import { migrate } from "../src/database/migrate.ts";
import { connect } from "../src/database/open.ts";
import { hashToken, makeToken } from "../src/kernel/token.ts";
import { openLoad } from "../../../scripts/bench/load.ts";

const connections = 32;
const rounds = 15;
const roundMs = 700;

const folder = await mkdtemp(join(tmpdir(), "promptreg-bench-"));
const database = await startEmbedded(folder);
const token = makeToken();
const children: ReturnType<typeof fork>[] = [];
try {
  await migrate(parseDatabaseUrl(database.url));
  const ports = { floor: await start("floor"), ours: await start("ours") };
  const etag = await seed(ports.ours);
  const authorization = `Bearer ${token}`;
  const resolve = "/api/v1/prompts/bench/hot";
  await measure(
    "resolve a label (limit 0.75)",
    ports,
    { floor: "/label", ours: `${resolve}?label=production&view=version` },
    { authorization },
  );
  const pinned = { floor: "/pinned", ours: `${resolve}/versions/1` };
  await measure("pinned version, 200 (limit 0.80)", ports, pinned, { authorization });
  await measure("pinned version, 304 (limit 0.80)", ports, pinned, { authorization, "if-none-match": etag });
} finally {
  children.forEach((child) => child.kill("SIGKILL"));
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

async function start(side: string): Promise<number> {
  const child = fork(join(import.meta.dirname, "http-server.ts"), {
    execArgv: ["--conditions=@promptreg/source"],
    env: {
      ...process.env,
      BENCH_DATABASE: database.url,
      BENCH_TOKEN: token,
      BENCH_SIDE: side,
      NODE_ENV: "production",
    },
  });
  children.push(child);
  const [port] = (await once(child, "message")) as [number];
  return port;
}

async function seed(port: number): Promise<string> {
  const sql = connect(parseDatabaseUrl(database.url));
  const [user] = await sql<{ id: string }[]>`insert into users (handle) values ('bench') returning id`;
  await sql`
    insert into tokens (user_id, name, hash, prefix, scopes)
    values (${user?.id ?? ""}, 'bench', ${hashToken(token)}, 'prt_', ${["read", "write"]})`;
  await sql.end();
  const call = (method: string, path: string, body?: object) =>
    fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
  const content = `You answer {{customer}} about {{product}}.\n${"Be brief, warm and exact. ".repeat(40)}`;
  await call("POST", "/prompts", {
    kind: "text",
    slug: "hot",
    title: "Hot",
    files: [{ path: "PROMPT.md", content }],
  });
  await call("PUT", "/prompts/bench/hot/labels/production", { versionNumber: 1 });
  const answer = await call("GET", "/prompts/bench/hot/versions/1");
  return answer.headers.get("etag") ?? "";
}

async function measure(
  name: string,
  ports: Record<"floor" | "ours", number>,
  paths: Record<"floor" | "ours", string>,
  headers: Record<string, string>,
): Promise<void> {
  const floor = await openLoad({ port: ports.floor, path: paths.floor, headers }, connections);
  const ours = await openLoad({ port: ports.ours, path: paths.ours, headers }, connections);
  await floor.run(1_500);
  await ours.run(1_500);
  const pairs: { floor: number; ours: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    pairs.push({ floor: await floor.run(roundMs), ours: await ours.run(roundMs) });
  }
  floor.close();
  ours.close();
  const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  const ratio = median(pairs.map((pair) => pair.ours / pair.floor));
  const rate = (side: "floor" | "ours") => Math.round(median(pairs.map((pair) => pair[side])));
  console.log(
    `${name.padEnd(36)} floor ${rate("floor")}/s  ours ${rate("ours")}/s  ratio ${ratio.toFixed(2)}`,
  );
}
