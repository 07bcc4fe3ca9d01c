import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { clearTimeout, setTimeout } from "node:timers";
import { fileURLToPath } from "node:url";
import { type DatabaseAddress, DatabaseSetupError, parseDatabaseUrl } from "../database/connection.ts";
import { startEmbedded } from "../database/embedded.ts";
import { copyDatabase, dropDatabase, ensureTemplate } from "./databases.sql.ts";

/** How long an unused PostgreSQL keeps running, so that tests that each open a registry share it. */
const lingerMs = 10_000;

/** A PostgreSQL of this process alone. */
export interface OwnPostgres {
  /** The URL of its maintenance database, with the password. */
  url: string;
  /** Gone when it stops. */
  folder: string;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL in a temporary folder. A process beside us stops it and removes the folder when we end, even if
 * killed: PostgreSQL itself outlives us.
 * @throws {DatabaseSetupError} when it cannot run here, saying why and what to do.
 */
export async function startOwnPostgres(
  options: { binariesDir?: string | undefined } = {},
): Promise<OwnPostgres> {
  const folder = mkdtempSync(join(tmpdir(), "promptreg-testing-"));
  const guard = startGuard(folder);
  const stop = async () => {
    if (guard.exitCode !== null || guard.signalCode !== null) return;
    guard.ref();
    guard.stdin?.end();
    await once(guard, "exit");
  };
  try {
    const { url } = await startEmbedded(folder, { ...options, isThrowaway: true });
    return { url, folder, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** In a session of its own, so that Ctrl-C in the terminal ends us and not the one who cleans up after us. */
function startGuard(folder: string): ChildProcess {
  // Beside this file, in the sources and in what is built of them.
  const file = fileURLToPath(new URL(`./guard${extname(import.meta.url)}`, import.meta.url));
  const guard = spawn(process.execPath, [file, folder], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    windowsHide: true,
    // What the tests' own process is told to load does not concern this one.
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  guard.on("error", () => {});
  if (guard.pid === undefined) {
    throw new DatabaseSetupError(
      `${process.execPath}, which is to stop PostgreSQL at the end, does not start.`,
    );
  }
  guard.unref();
  // It is never written to, but would keep the process alive.
  (guard.stdin as { unref?(): void } | null)?.unref?.();
  return guard;
}

/** Where registries get databases of their own. */
export interface Databases {
  /** Registries keep their files below it. */
  folder: string;
  /** Gives a migrated one. */
  create(): Promise<DatabaseAddress>;
  drop(own: DatabaseAddress): Promise<void>;
  /** Releases it. Call it once. */
  release(): void;
}

const prefix = "promptreg_testing";

/** On an existing PostgreSQL. */
export async function databasesOf(url: string, folder = tmpdir()): Promise<Databases> {
  const address = parseDatabaseUrl(url);
  const template = await ensureTemplate(address);
  return {
    folder,
    create: () => copyDatabase(address, { template, prefix }),
    drop: (own) => dropDatabase(address, own),
    release: () => {},
  };
}

let shared: Promise<Databases> | undefined;
let borrowers = 0;
let lingering: NodeJS.Timeout | undefined;

/** On the PostgreSQL of this process. The first caller starts it. */
export async function borrowDatabases(): Promise<Databases> {
  clearTimeout(lingering);
  borrowers += 1;
  try {
    return await (shared ??= openShared());
  } catch (error) {
    shared = undefined;
    borrowers -= 1;
    throw error;
  }
}

/** Prepares the next database in advance: the copy takes most of the time of a start. */
async function openShared(): Promise<Databases> {
  const postgres = await startOwnPostgres();
  const databases = await databasesOf(postgres.url, postgres.folder).catch(async (error: unknown) => {
    await postgres.stop();
    throw error;
  });
  const prepare = (): Promise<DatabaseAddress> => {
    const prepared = databases.create();
    // The next caller gets the error.
    prepared.catch(() => {});
    return prepared;
  };
  let next = prepare();
  return {
    ...databases,
    async create() {
      const taken = next;
      next = taken.then(prepare, prepare);
      next.catch(() => {});
      return taken;
    },
    release() {
      borrowers -= 1;
      if (borrowers > 0) return;
      lingering = setTimeout(() => {
        shared = undefined;
        void postgres.stop();
      }, lingerMs).unref();
    },
  };
}
