import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sql } from "postgres";
import { isShort } from "../../../scripts/short.ts";
import { parseDatabaseUrl } from "../src/database/connection.ts";
import { startEmbedded } from "../src/database/embedded.ts";
import { migrate } from "../src/database/migrate.ts";
import { connect } from "../src/database/open.ts";
import { hashToken, makeToken } from "../src/kernel/accounts/token.ts";

/** The least that could be done, our server, and ours with metrics, or with metrics and the spans of all requests or of a tenth. */
export type BenchServer = "floor" | "ours" | "metered" | "traced" | "sampled";

/** Starts one of the servers of a comparison in a process of its own, and gives the port it listens on. */
export async function startSide(
  side: BenchServer,
  { url, replica = "", token, store = "" }: { url: string; replica?: string; token: string; store?: string },
): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(join(import.meta.dirname, "http-server.ts"), {
    execArgv: ["--conditions=@promptreg/source"],
    env: {
      ...process.env,
      BENCH_DATABASE: url,
      BENCH_REPLICA: replica,
      BENCH_TOKEN: token,
      BENCH_SIDE: side,
      BENCH_STORE: store,
      NODE_ENV: "production",
    },
  });
  const died = once(child, "exit").then(([code]) => {
    throw new Error(`the server "${side}" ended with ${code}`);
  });
  const [port] = (await Promise.race([once(child, "message"), died])) as [number];
  died.catch(() => {});
  return { child, port };
}

/** The longest delay of a server's event loop since the last call, in milliseconds. The first call begins to measure. */
export async function longestDelayOf(child: ChildProcess): Promise<number> {
  child.send("delay");
  const [ms] = (await once(child, "message")) as [number];
  return ms;
}

/** Lets an account in with a token, makes it where it is not there, and gives its id. */
export async function letIn(sql: Sql, token: string, handle = "bench"): Promise<string> {
  await sql`insert into users (handle) values (${handle}) on conflict do nothing`;
  const [made] = await sql<{ userId: string }[]>`
    insert into tokens (user_id, name, hash, prefix, scopes)
    select id, 'bench', ${hashToken(token)}, 'prt_', '{read,write}' from users where handle = ${handle}
    returning user_id as "userId"`;
  if (made === undefined) throw new Error("a token was not written");
  return made.userId;
}

/** A registry of ours in a process of its own, on an empty database. */
export interface Registry {
  /** The address of its prompts. */
  origin: string;
  /** Of the account `bench`. */
  token: string;
  child: ChildProcess;
  /** Starts the least that could be done beside it, and gives its port. */
  startFloor: () => Promise<number>;
  sql: Sql;
  /** The folder of its store. */
  store: string;
}

/** Starts a registry, and takes it away when `work` has ended. */
export async function withRegistry(work: (registry: Registry) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "promptreg-bench-"));
  const database = await startEmbedded(folder, { isThrowaway: isShort });
  const token = makeToken();
  const store = join(folder, "media");
  const children: ChildProcess[] = [];
  const start = async (side: BenchServer) => {
    const started = await startSide(side, { url: database.url, token, store });
    children.push(started.child);
    return started;
  };
  try {
    await migrate(parseDatabaseUrl(database.url));
    const sql = connect(parseDatabaseUrl(database.url));
    await letIn(sql, token);
    const { child, port } = await start("ours");
    const startFloor = async () => (await start("floor")).port;
    await work({ origin: `http://127.0.0.1:${port}/api/v1/prompts`, token, child, startFloor, sql, store });
    await sql.end();
  } finally {
    for (const child of children) child.kill("SIGKILL");
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
