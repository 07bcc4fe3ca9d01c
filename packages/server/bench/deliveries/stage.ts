/** What all parts of this benchmark stand on: a PostgreSQL, databases on it, receivers, workers. */
import { type ChildProcess, fork } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres, { type Sql } from "postgres";
import { parseDatabaseUrl } from "../../src/database/connection.ts";
import { startEmbedded } from "../../src/database/embedded.ts";
import { migrate } from "../../src/database/migrate.ts";
import { connect } from "../../src/database/open.ts";
import { type Bus, openBus } from "../../src/kernel/changes/bus.ts";
import { type ServerProcess, start } from "../../test/process.ts";
import { isShort } from "../../../../scripts/short.ts";
import { certificatePath } from "./common.ts";
import type { Notice, Report } from "./receivers.ts";

export const promptregSecret = "a secret of the benchmarks, and long enough";
/** Of every webhook: signing costs the same for each. */
export const webhookSecret = `whsec_${"5".repeat(64)}`;

/** A migrated database of its own. */
export interface Database {
  url: string;
  sql: Sql;
  bus: Bus;
}

export interface Receivers {
  origin: string;
  /** Emits `arrived` with the number of an event and the time, and `hanging`. */
  notices: EventEmitter<{ arrived: [nth: number, atMs: number]; hanging: [] }>;
  /** What has arrived since the last time this was asked. */
  report(): Promise<Report>;
}

export interface Stage {
  receivers: Receivers;
  /** @param kept names one that is used again where the stage has a folder. */
  openDatabase(kept?: string): Promise<Database>;
  /** Runs `promptreg-server worker`, and stops it with everything else. */
  startWorker(database: Database): Promise<ServerProcess>;
  /** Runs a file of this folder. */
  startFloor(kind: "task" | "loop", database: Database): Promise<ChildProcess>;
  close(): Promise<void>;
}

/** @param folder keeps the data for the next time; without one it is gone at the end. */
export async function openStage(folder?: string): Promise<Stage> {
  const dataDir = folder ?? (await mkdtemp(join(tmpdir(), "promptreg-bench-")));
  const embedded = await startEmbedded(dataDir, {
    isThrowaway: isShort,
    binariesDir: process.env["PROMPTREG_TEST_POSTGRES_BINARIES"],
  });
  const closers: Closer[] = [];
  const databases = await openDatabases(embedded.url, closers);
  let closing: Promise<void> | undefined;
  const run = (file: string, env: Record<string, string> = {}) =>
    runFile(file, { env, closers, onFailure: () => void close().finally(() => process.exit(1)) });
  return {
    receivers: receiversOf(await run("receivers.ts")),
    openDatabase: (kept) => databases.open(kept),
    async startWorker({ url }) {
      const worker = await start(["worker"], {
        DATABASE_URL: url,
        PROMPTREG_SECRET: promptregSecret,
        PROMPTREG_UNSAFE_WEBHOOKS: "1",
        NODE_EXTRA_CA_CERTS: certificatePath,
      });
      closers.push(() => worker.stop("SIGKILL"));
      return worker;
    },
    async startFloor(kind, { url }) {
      return (await run(`floor-${kind}.ts`, { BENCH_DATABASE: url })).child;
    },
    close,
  };

  /** An interrupt calls this, and so does what fails because of it. */
  function close(): Promise<void> {
    return (closing ??= closeAll());
  }

  async function closeAll(): Promise<void> {
    for (const close of closers.reverse()) await close();
    await databases.close();
    await embedded.stop();
    if (folder === undefined) await rm(dataDir, { recursive: true, force: true });
  }
}

type Closer = () => unknown;

/** Makes databases from a migrated template. */
async function openDatabases(adminUrl: string, closers: Closer[]) {
  // Without the time limit of a server's statements: a large database takes its time to be dropped.
  const admin = postgres(adminUrl, { max: 1, onnotice: () => {} });
  const template = "bench_template";
  await admin.unsafe(`drop database if exists ${template}`);
  await admin.unsafe(`create database ${template}`);
  await migrate({ ...parseDatabaseUrl(adminUrl), database: template });
  let count = 0;
  return {
    async open(kept?: string): Promise<Database> {
      const name = kept ?? `bench_${process.pid}_${++count}`;
      const [known] = await admin`select from pg_database where datname = ${name}`;
      if (!known) await admin.unsafe(`create database ${name} template ${template}`);
      const url = new URL(`/${name}`, adminUrl).href;
      if (known) await migrate(parseDatabaseUrl(url));
      const sql = connect(parseDatabaseUrl(url));
      const bus = openBus({ sql, address: parseDatabaseUrl(url), onLost: () => {} });
      closers.push(async () => {
        await bus.stop();
        await sql.end();
        if (kept === undefined) await admin.unsafe(`drop database ${name} with (force)`);
      });
      return { url, sql, bus };
    },
    close: () => admin.end(),
  };
}

/** Runs a file of this folder, and waits for its first message. */
async function runFile(
  file: string,
  { env, closers, onFailure }: { env: Record<string, string>; closers: Closer[]; onFailure: () => void },
) {
  const child = fork(join(import.meta.dirname, file), {
    execArgv: ["--conditions=@promptreg/source"],
    env: { ...process.env, NODE_EXTRA_CA_CERTS: certificatePath, ...env },
  });
  closers.push(() => child.kill("SIGKILL"));
  // A caller that waits for it would wait for ever.
  child.once("exit", (code) => code && onFailure());
  const [ready] = (await once(child, "message")) as [unknown];
  return { child, ready };
}

function receiversOf({ child, ready: port }: { child: ChildProcess; ready: unknown }): Receivers {
  const notices: Receivers["notices"] = new EventEmitter();
  const reports = new EventEmitter();
  child.on("message", (message: Notice | Report) => {
    if (message === "hanging") notices.emit("hanging");
    else if ("nth" in message) notices.emit("arrived", message.nth, message.atMs);
    else reports.emit("report", message);
  });
  return {
    origin: `https://127.0.0.1:${String(port)}`,
    notices,
    async report() {
      child.send("report");
      const [report] = (await once(reports, "report")) as [Report];
      return report;
    },
  };
}
