import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseDatabaseUrl } from "../src/database/connection.ts";
import { startEmbedded } from "../src/database/embedded.ts";
import { connect } from "../src/database/open.ts";

/** How a process ended, and all that it said. */
export interface Ending {
  /** Null where a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A `promptreg-server` that runs as a process of its own. */
export interface ServerProcess {
  /** Where it serves; empty where it only works. */
  url: string;
  child: ChildProcess;
  /** What it has written so far, to standard output and standard error. */
  output(): string;
  ended: Promise<Ending>;
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Ending>;
}

/** Why a server or a worker did not start, which is the one line of its log. */
export function reasonOf({ stderr }: Pick<Ending, "stderr">): string {
  const { level, msg } = JSON.parse(stderr) as { level: number; msg: string };
  if (level !== 60) throw new Error(`not a fatal error: ${stderr}`);
  return msg;
}

type Environment = Record<string, string>;

const main = new URL("../src/main.ts", import.meta.url).pathname;

interface Launch {
  /** The program, where it is not this checkout's. */
  main?: string;
}

// Half of a short command's time goes into reading TypeScript, so that one process reads it for all.
const compiled = new URL("../../../node_modules/.cache/node", import.meta.url).pathname;
const children = new Set<ChildProcess>();
const folders = new Set<string>();

/** Runs `promptreg-server` on any free port, with nothing of our own environment but the path of programs. */
export function launch(
  args: string[],
  env: Environment,
  { main: path = main }: Launch = {},
): Omit<ServerProcess, "url"> {
  const child = spawn(process.execPath, ["--conditions=@promptreg/source", path, ...args], {
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: compiled,
      PORT: "0",
      DRAIN_SECONDS: "0",
      DATABASE_WAIT_SECONDS: "0",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.add(child);
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => (said[name] += text));
  }
  const ended = new Promise<Ending>((resolve) => {
    child.once("close", (code) => resolve({ code, ...said }));
  });
  return {
    child,
    output: () => said.stdout + said.stderr,
    ended,
    stop(signal = "SIGTERM") {
      child.kill(signal);
      return ended;
    },
  };
}

/** Runs a command to its end. */
export const run = (args: string[], env: Environment): Promise<Ending> => launch(args, env).ended;

/** Starts a server or a worker and waits until it says that it is ready. */
export async function start(args: string[], env: Environment, launched: Launch = {}): Promise<ServerProcess> {
  const started = launch(args, env, launched);
  const isReady = () => /ready in \d+ ms/.test(started.output());
  const ready = new Promise<void>((resolve) =>
    started.child.stdout?.on("data", () => isReady() && resolve()),
  );
  const early = started.ended.then(({ code, stderr }) => {
    throw new Error(`promptreg-server ${args.join(" ")} ended with ${code} before it was ready: ${stderr}`);
  });
  await Promise.race([ready, early]);
  return { ...started, url: /serves (\S+),/.exec(started.output())?.[1] ?? "" };
}

/** The path of a data folder that is not there yet. */
export function newDataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), "promptreg-process-"));
  folders.add(folder);
  return join(folder, "data");
}

/** The lock file of an embedded PostgreSQL; undefined where none runs, one was killed and left it, or it is still empty. */
export function postmasterOf(dataDir: string): { pid: number; port: number; isReady: boolean } | undefined {
  const path = join(dataDir, "postgres/postmaster.pid");
  if (!existsSync(path)) return undefined;
  const lines = readFileSync(path, "utf8").split("\n");
  const pid = Number(lines[0]);
  return pid > 0 && isAlive(pid)
    ? { pid, port: Number(lines[3]), isReady: lines[7]?.trim() === "ready" }
    : undefined;
}

/** Whether a process of that number is there. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A pool on the embedded PostgreSQL that runs in a data folder. */
export function connectTo(dataDir: string) {
  const password = readFileSync(join(dataDir, "postgres-password"), "utf8").trim();
  return connect(
    parseDatabaseUrl(`postgres://promptreg:${password}@127.0.0.1:${postmasterOf(dataDir)?.port}/postgres`),
  );
}

/** Ends whatever a test that failed has left running, and removes the data folders. */
export async function cleanUp(): Promise<void> {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
  for (const folder of folders) {
    const dataDir = join(folder, "data");
    if (postmasterOf(dataDir)) await (await startEmbedded(dataDir)).stop();
    rmSync(folder, { recursive: true, force: true });
  }
  folders.clear();
}
