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

/** How long a PostgreSQL that nobody uses waits for the next one, so that tests which open one each share it. */
const lingerMs = 10_000;

/** A PostgreSQL of this process alone. */
export interface OwnPostgres {
  /** Of its maintenance database, with the password. */
  url: string;
  /** Stops it and removes its data; resolves when both are gone. */
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
    return { url, stop };
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
  // Nothing is ever written to it, but it would keep the process from ending.
  (guard.stdin as { unref?(): void } | null)?.unref?.();
  return guard;
}

/** Where registries get databases of their own. */
export interface Databases {
  /** Gives a migrated one. */
  create(): Promise<DatabaseAddress>;
  drop(own: DatabaseAddress): Promise<void>;
  /** Nobody who asked for this needs more of them; to be called once. */
  release(): void;
}

const prefix = "promptreg_testing";

/** On a PostgreSQL that is there. */
export async function databasesOf(url: string): Promise<Databases> {
  const address = parseDatabaseUrl(url);
  const template = await ensureTemplate(address);
  return {
    create: () => copyDatabase(address, { template, prefix }),
    drop: (own) => dropDatabase(address, own),
    release: () => {},
  };
}

let shared: Promise<Databases> | undefined;
let borrowers = 0;
let lingering: NodeJS.Timeout | undefined;

/** On the PostgreSQL of this process, which is started for whoever comes first. */
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

/** Always has the next database at hand: to copy one takes longer than all else about a start. */
async function openShared(): Promise<Databases> {
  const postgres = await startOwnPostgres();
  const databases = await databasesOf(postgres.url).catch(async (error: unknown) => {
    await postgres.stop();
    throw error;
  });
  const prepare = (): Promise<DatabaseAddress> => {
    const prepared = databases.create();
    // Whoever takes it learns of it.
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
