import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import { bareEnvironment, findBinaries, type PostgresBinaries } from "./binaries.ts";
import { type Cluster, clusterUser, openCluster, wrongPassword } from "./cluster.ts";
import { DatabaseSetupError } from "./connection.ts";
import { endPostmaster, findPostmaster } from "./postmaster.ts";

/** A PostgreSQL on our data folder. It keeps running after our process ends, unless it is stopped. */
export interface EmbeddedDatabase {
  /** For `parseDatabaseUrl`. It contains the password. */
  url: string;
  /** True if it was already running: a short command then leaves it running. */
  isAdopted: boolean;
  /**
   * Ends all sessions and PostgreSQL itself, adopted or not; resolves when it is gone, however often called.
   */
  stop(): Promise<void>;
  /** Why it ended by itself, in its own words, such as that the disk is full; null if its log does not say. */
  reasonOfEnd(): string | null;
}

export interface EmbeddedOptions {
  /** A folder with `initdb` and `postgres` to use instead of the packaged ones. */
  binariesDir?: string | undefined;
  /** Where it must listen again, so that pools opened on an earlier run find it; a free port unless given. */
  port?: number | undefined;
  /** For tests: trades durability for speed, and keeps plans from changing under them. */
  isThrowaway?: boolean;
}

const startTimeoutMs = 60_000;
const answerTimeoutSeconds = 10;
const logBytesAtMost = 5_000_000;

/** Another start was faster, or another program at the port, or a killed postmaster's sessions are ending. */
const passingFailures = /lock file "postmaster.pid" (already|is empty)|any TCP\/IP sockets|memory block/;

/** How the log says that PostgreSQL, or one process of it, ended by itself. */
const crash = /PANIC: |No space left on device|terminated by (?:signal|exception)/;

/**
 * The log tells of starts, stops and crashes, and holds no statement and no value: an error in a statement is
 * for the one who sent it. The rest is PostgreSQL's default, 128 MB of shared buffers and 100 connections.
 */
const settings = [
  "listen_addresses=127.0.0.1",
  "unix_socket_directories=",
  "log_min_messages=log",
  "log_min_error_statement=panic",
  "log_error_verbosity=terse",
  "log_checkpoints=off",
];

/**
 * Autovacuum comes when it will, and plans differ after it. What is thrown away needs no log to be recovered from, and
 * its reads are answered by memory, so that processes to read ahead only cost. A test runs most statements a few times only, too
 * few for a plan of each run's own to be worth its making. Servers of many tests share the connections.
 */
const throwawaySettings = (major: number) => [
  "autovacuum=off",
  "plan_cache_mode=force_generic_plan",
  "max_connections=200",
  "fsync=off",
  "full_page_writes=off",
  "synchronous_commit=off",
  "wal_level=minimal",
  "max_wal_senders=0",
  "max_wal_size=4GB",
  "checkpoint_timeout=1h",
  ...(major >= 18 ? ["io_method=sync"] : []),
];

/**
 * Starts PostgreSQL on `<dataDir>/postgres`, creating what is missing, or adopts the one that runs there
 * already: left behind by a killed process, or started by another that lives. Processes that start at once
 * end up with the same one; who of them may serve, and stop it, is for them to settle. The log is
 * `<dataDir>/postgres.log`.
 * @throws {DatabaseSetupError} when it cannot run here, saying why and what to do.
 */
export async function startEmbedded(
  dataDir: string,
  options: EmbeddedOptions = {},
): Promise<EmbeddedDatabase> {
  const binaries = await findBinaries(options.binariesDir);
  const cluster = await openCluster(dataDir, binaries, options);
  const deadline = Date.now() + startTimeoutMs;
  let launched: Launch | undefined;
  while (Date.now() < deadline) {
    const postmaster = await findPostmaster(cluster.path);
    if (postmaster?.isReady) {
      const { pid, port } = postmaster;
      const url = `postgres://${clusterUser}:${cluster.password}@127.0.0.1:${port}/postgres`;
      const answer = await ask(url, cluster);
      if (answer === "yes") return running(pid, url, pid !== launched?.child.pid, cluster);
      if (answer === "none") await replaceHung(pid, cluster);
    } else if (!postmaster && !isAlive(launched?.child)) {
      if (launched) {
        if (!passingFailures.test(readLog(cluster, launched.logOffset))) break;
        await delay(250);
      }
      launched = await launch(binaries, cluster, { ...options, port: options.port ?? (await freePort()) });
    }
    await delay(10);
  }
  throw new DatabaseSetupError(
    `PostgreSQL did not get ready on ${cluster.path}. If it is still recovering from a crash, start again ` +
      `later. Its log ends with:\n${readLog(cluster, launched?.logOffset).slice(-2000)}`,
  );
}

function running(pid: number, url: string, isAdopted: boolean, cluster: Cluster): EmbeddedDatabase {
  let end: Promise<void> | undefined;
  const logOffset = sizeOfLog(cluster);
  return {
    url,
    isAdopted,
    stop: () => (end ??= endPostmaster(pid, cluster.path, "fast")),
    reasonOfEnd: () =>
      readLog(cluster, logOffset)
        .split("\n")
        .find((line) => crash.test(line)) ?? null,
  };
}

interface Launch {
  child: ChildProcess;
  /** Where in the log its lines begin, in bytes. */
  logOffset: number;
}

/** In a session of its own, so that Ctrl-C in our terminal leaves PostgreSQL to serve our last requests. */
async function launch(
  binaries: PostgresBinaries,
  cluster: Cluster,
  { port, isThrowaway }: { port: number; isThrowaway?: boolean },
): Promise<Launch> {
  const [file, args] = binaries.command("postgres", [
    "-D",
    cluster.path,
    "-p",
    `${port}`,
    ...[...settings, ...(isThrowaway ? throwawaySettings(binaries.major) : [])].flatMap((setting) => [
      "-c",
      setting,
    ]),
  ]);
  const log = openLog(cluster);
  const logOffset = fs.fstatSync(log).size;
  const child = spawn(file, args, {
    env: bareEnvironment,
    detached: true,
    stdio: ["ignore", log, log],
    windowsHide: true,
  });
  fs.closeSync(log);
  // Without a listener a failed spawn would end our process; a child that never ran counts as not alive.
  child.on("error", () => {});
  child.unref();
  return { child, logOffset };
}

function openLog(cluster: Cluster): number {
  const { logPath } = cluster;
  if (sizeOfLog(cluster) > logBytesAtMost) fs.renameSync(logPath, `${logPath}.old`);
  return fs.openSync(logPath, "a", 0o600);
}

const sizeOfLog = ({ logPath }: Cluster): number =>
  fs.statSync(logPath, { throwIfNoEntry: false })?.size ?? 0;

function readLog({ logPath }: Cluster, offset = 0): string {
  return fs.existsSync(logPath) ? fs.readFileSync(logPath).toString("utf8", offset) : "";
}

function isAlive(child: ChildProcess | undefined): boolean {
  return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

async function replaceHung(pid: number, cluster: Cluster): Promise<void> {
  // One that has begun to stop since we asked is left to it.
  const now = await findPostmaster(cluster.path);
  if (now?.isReady && now.pid === pid) await endPostmaster(pid, cluster.path, "hard");
}

/** Whether PostgreSQL accepts our login. An error other than a wrong password shows that it runs. */
async function ask(url: string, cluster: Cluster): Promise<"yes" | "later" | "none"> {
  const sql = postgres(url, {
    max: 1,
    connect_timeout: answerTimeoutSeconds,
    fetch_types: false,
    onnotice: () => {},
  });
  try {
    await sql`select 1`;
    return "yes";
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) return "none";
    if (error.code === "28P01") throw wrongPassword(cluster.passwordPath);
    return "later";
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** PostgreSQL cannot choose a port itself; if this one is taken meanwhile, the next launch gets another. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
