import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import {
  type DatabaseAddress,
  DatabaseSetupError,
  parseDatabaseUrl,
  postgresOptions,
  workOptions,
} from "./connection.ts";
import { type EmbeddedDatabase, startEmbedded } from "./embedded.ts";
import { openRenewingPool } from "./renewal.ts";
import type { TransactionWatch } from "./transaction.ts";

/** Where the database is: at `databaseUrl`, or embedded, with its data in `dataDir`. */
export interface DatabaseSettings {
  databaseUrl: string | null;
  dataDir: string;
  /** How long a given database may take to come up. */
  databaseWaitSeconds: number;
}

/** A database that is ready for use. */
export interface OpenDatabase {
  address: DatabaseAddress;
  /** Says where the data is, for people. */
  place: string;
  /** Stops an embedded PostgreSQL that no other process uses. */
  close(): Promise<void>;
}

/** Our own pool. */
export const connect = (address: DatabaseAddress, watch?: TransactionWatch) =>
  openRenewingPool(postgresOptions(address), watch);

/**
 * The pool of a worker, so that requests and deliveries do not wait for each other. Its few statements read tables with
 * many partitions. They are planned once: planning them each time would take ten times as long as running them.
 */
export const connectToWork = (address: DatabaseAddress) => openRenewingPool(workOptions(address));

/** The connection of reads that share a statement: a plan for each number of them would cost more than the reads. */
export const connectToRead = (address: DatabaseAddress) =>
  openRenewingPool({ ...workOptions(address), max: 1 });

/** Opens the database for a command: the given one, or the embedded one, which a server may be using too. */
export async function openDatabase({ databaseUrl, dataDir }: DatabaseSettings): Promise<OpenDatabase> {
  if (databaseUrl !== null) return external(databaseUrl);
  const stay = await enter(dataDir);
  return { address: stay.address, place: dataDir, close: () => leave(stay) };
}

/** Hears what an operator should know. */
export interface Listener {
  /** It waits for a given database that is not up yet. */
  onWait(sentence: string): void;
  /** The embedded PostgreSQL ended, or cannot be restarted. */
  onTrouble(error: unknown): void;
}

/** Opens the database for a worker. */
export const openDatabaseToWork = (settings: DatabaseSettings, listener: Listener): Promise<OpenDatabase> =>
  settings.databaseUrl === null
    ? openDatabase(settings)
    : external(settings.databaseUrl, { waitSeconds: settings.databaseWaitSeconds, ...listener });

/** Opens the database for a server. Only one server may use an embedded one; it restarts it if it crashes. */
export async function openDatabaseToServe(
  { databaseUrl, dataDir, databaseWaitSeconds }: DatabaseSettings,
  listener: Listener,
): Promise<OpenDatabase> {
  if (databaseUrl !== null) return external(databaseUrl, { waitSeconds: databaseWaitSeconds, ...listener });
  let isOpen = false;
  let reviving: Promise<void> | undefined;
  let stay = await own();
  isOpen = true;
  return {
    address: stay.address,
    place: dataDir,
    async close() {
      isOpen = false;
      await reviving;
      await leave(stay);
    },
  };

  /** Holds a lock while we serve. PostgreSQL frees the lock of a process that dies. */
  async function own(port?: number): Promise<Stay> {
    const entered = await enter(dataDir, { port, onLost: revive });
    const [lock] = await entered.session<{ taken: boolean }[]>`
      select pg_try_advisory_lock(hashtext('promptreg serve')) as taken`;
    if (lock?.taken) return entered;
    isOpen = false;
    await leave(entered);
    throw new DatabaseSetupError(
      `Another server already uses ${dataDir}. Stop it, or set PROMPTREG_DATA_DIR to another folder.`,
    );
  }

  function revive(): void {
    if (!isOpen || reviving) return;
    const reason = stay.embedded.reasonOfEnd();
    if (reason !== null) listener.onTrouble(new Error(`PostgreSQL ended: ${reason}`));
    reviving = (async () => {
      await stay.session.end({ timeout: 0 });
      while (isOpen) {
        try {
          stay = await own(stay.address.port);
          return;
        } catch (error) {
          listener.onTrouble(error);
          await delay(1_000);
        }
      }
    })().finally(() => (reviving = undefined));
  }
}

/** One process's use of the embedded PostgreSQL. */
interface Stay {
  embedded: EmbeddedDatabase;
  address: DatabaseAddress;
  /** Holds a lock that all users share. The last one has it alone, and stops PostgreSQL. */
  session: postgres.Sql;
}

async function enter(
  dataDir: string,
  { port, onLost }: { port?: number | undefined; onLost?: () => void } = {},
): Promise<Stay> {
  for (;;) {
    const embedded = await startEmbedded(dataDir, { port });
    const address = parseDatabaseUrl(embedded.url);
    const session = postgres({
      ...postgresOptions(address),
      max: 1,
      idle_timeout: 0,
      max_lifetime: null,
      ...(onLost && { onclose: onLost }),
    });
    try {
      await session`select pg_advisory_lock_shared(hashtext('promptreg use'))`;
      return { embedded, address, session };
    } catch (error) {
      await session.end({ timeout: 0 });
      // The last user is stopping it at this moment: start it again.
      if (error instanceof postgres.PostgresError && !error.code.startsWith("57")) throw error;
    }
  }
}

async function leave({ embedded, session }: Stay): Promise<void> {
  try {
    await session`select pg_advisory_unlock_shared(hashtext('promptreg use'))`;
    const [lock] = await session<{ isAlone: boolean }[]>`
      select pg_try_advisory_lock(hashtext('promptreg use')) as "isAlone"`;
    if (lock?.isAlone) await embedded.stop();
  } catch {
    // It stopped already.
  }
  await session.end({ timeout: 1 });
}

/** Codes of a database that is not up yet, or whose name is not known yet; not of a login that it refuses. */
const isStarting = (code: string | undefined): boolean =>
  /^(57P03|53300|CONNECT_TIMEOUT|CONNECTION_|ECONN|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE)/.test(
    code ?? "",
  );

/** Opens a given database, and waits until it is up. */
async function external(
  databaseUrl: string,
  { waitSeconds = 0, onWait }: { waitSeconds?: number } & Partial<Listener> = {},
): Promise<OpenDatabase> {
  const address = parseDatabaseUrl(databaseUrl);
  const place = `${address.host}:${address.port}`;
  const untilMs = performance.now() + 1_000 * waitSeconds;
  for (let isFirst = true; ; isFirst = false) {
    try {
      await tryConnection(address);
      return { address, place: `${address.database} on ${place}`, close: async () => {} };
    } catch (error) {
      if (error instanceof DatabaseSetupError) throw error;
      const { message, code } = error as Error & { code?: string };
      // A name with several addresses fails with several errors under an empty message. On a timeout the driver names the
      // wrong address.
      const reason = code === "CONNECT_TIMEOUT" ? "it does not respond" : message || code;
      if (!isStarting(code) || performance.now() > untilMs)
        throw new DatabaseSetupError(
          `Cannot connect to the database at ${place} (DATABASE_URL): ${reason}. Check that it runs, and that user, password and database name are right.`,
        );
      if (isFirst)
        onWait?.(`Waiting up to ${waitSeconds} s for the database at ${place} (DATABASE_URL): ${reason}.`);
      await delay(500);
    }
  }
}

/** @throws {DatabaseSetupError} if it is no PostgreSQL by itself; otherwise what the connection failed with. */
async function tryConnection(address: DatabaseAddress): Promise<void> {
  const sql = connect(address);
  try {
    await sql`select`;
    await refusePooler(sql);
  } catch (error) {
    // The protocol's way to refuse settings in the login.
    if (error instanceof postgres.PostgresError && /startup parameter/.test(error.message))
      throw pooledError(address);
    throw error instanceof Pooled ? pooledError(address) : error;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** The sessions are not those of the connections. */
export class Pooled extends Error {}

/**
 * Two open connections have sessions of their own, with the settings of their login. Behind a pooler they share one, and answers go to
 * whoever prepared a statement by the same name.
 */
export async function refusePooler(sql: postgres.Sql): Promise<void> {
  const both = await Promise.all([sql.reserve(), sql.reserve()]);
  try {
    const sessions = [];
    for (const one of both)
      sessions.push(
        ...(await one<{ pid: number; path: string }[]>`
          select pg_backend_pid() as pid, current_setting('search_path') as path`),
      );
    const [first, second] = sessions;
    if (first?.pid === second?.pid || first?.path.replaceAll(" ", "") !== "promptreg,public")
      throw new Pooled();
  } finally {
    for (const one of both) one.release();
  }
}

const pooledError = ({ host, port }: DatabaseAddress) =>
  new DatabaseSetupError(
    `The database at ${host}:${port} (DATABASE_URL) is behind a connection pooler, such as pgbouncer, that does not keep the settings and ` +
      "statements of a session. Give the address of PostgreSQL itself; each process takes at most 21 connections.",
  );
