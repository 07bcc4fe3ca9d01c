import { execFile } from "node:child_process";
import { readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

/** The main process of a running PostgreSQL, as its lock file tells. */
export interface Postmaster {
  pid: number;
  port: number;
  /** False while it starts or stops. */
  isReady: boolean;
}

/**
 * The live postmaster of `cluster` (an absolute path without symbolic links), whoever started it. A lock file
 * that a dead one left is removed, since PostgreSQL refuses to start while any process has its number.
 */
export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const lockPath = join(cluster, "postmaster.pid");
  let lock = readIfPresent(lockPath);
  if (lock === "") {
    // Created this instant, and written the next.
    await delay(200);
    lock = readIfPresent(lockPath);
  }
  if (lock === undefined) return undefined;
  // Its lines: pid, folder, start time, port, socket folder, address, shared memory, status.
  const lines = lock.split("\n");
  const pid = Number(lines[0]);
  if (await isPostmaster(pid, cluster)) {
    return { pid, port: Number(lines[3]), isReady: lines[7]?.trim() === "ready" };
  }
  // Unless another start has just replaced it by its own.
  if (readIfPresent(lockPath) === lock) rmSync(lockPath, { force: true });
  return undefined;
}

/** What is sent, and how long it may take in ms; 5 s after SIGQUIT PostgreSQL kills its own children. */
const manners = {
  fast: [
    ["SIGINT", 60_000],
    ["SIGQUIT", 6_000],
    ["SIGKILL", 5_000],
  ],
  hard: [
    ["SIGQUIT", 6_000],
    ["SIGKILL", 5_000],
  ],
} as const;

/**
 * Stops a postmaster, unless it has ended, and waits for its end: `fast` ends its sessions and writes a
 * checkpoint, `hard` leaves recovery to the next start. (Windows knows no such signals, each is the hardest.)
 */
export async function endPostmaster(
  pid: number,
  cluster: string,
  manner: keyof typeof manners,
): Promise<void> {
  for (const [signal, waitMs] of manners[manner]) {
    if (!(await isPostmaster(pid, cluster))) return;
    signalIfAlive(pid, signal);
    const deadline = Date.now() + waitMs;
    while (Date.now() < deadline && (await isPostmaster(pid, cluster))) await delay(10);
  }
}

/** Numbers of processes are used again, so a live `pid` must also be a PostgreSQL at work in this folder. */
async function isPostmaster(pid: number, cluster: string): Promise<boolean> {
  if (!Number.isSafeInteger(pid) || pid < 2 || !signalIfAlive(pid, 0)) return false;
  try {
    if (process.platform === "linux") {
      const isPostgres = readFileSync(`/proc/${pid}/comm`, "utf8") === "postgres\n";
      return isPostgres && readlinkSync(`/proc/${pid}/cwd`) === cluster;
    }
    const commandLine = await readCommandLine(pid);
    return commandLine.includes("postgres") && commandLine.includes(cluster);
  } catch {
    return false;
  }
}

/** For macOS, and untested for Windows; our start names the cluster on the command line. */
async function readCommandLine(pid: number): Promise<string> {
  const question = `(Get-CimInstance Win32_Process -Filter "ProcessId=${pid}").CommandLine`;
  const [file, args] =
    process.platform === "win32"
      ? ["powershell", ["-NoProfile", "-Command", question]]
      : ["ps", ["-ww", "-o", "command=", "-p", `${pid}`]];
  return (await promisify(execFile)(file, args, { windowsHide: true })).stdout;
}

function signalIfAlive(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
