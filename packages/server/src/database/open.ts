import { randomInt } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import postgres from "postgres";
import {
  type DatabaseAddress,
  DatabaseSetupError,
  parseDatabaseUrl,
  pgOptions,
  postgresOptions,
  requestSettings,
  workOptions,
} from "./connection.ts";
import { type EmbeddedDatabase, startEmbedded } from "./embedded.ts";
import { missingGrants } from "./rights.ts";
import { surviveBrokenConnections } from "./pool.ts";
import { openRenewingPool } from "./renewal.ts";
import type { TransactionWatch } from "./transaction.ts";

/** Where the database is: at `databaseUrl`, or embedded, with its data in `dataDir`. */
export interface DatabaseSettings {
  databaseUrl: string | null;
  /** A pooler before that database, for requests alone. */
  databasePoolUrl: string | null;
  /** Standbys of it, for reads that may be a moment old. */
  databaseReadUrls: readonly string[];
  dataDir: string;
  /** How long a given database may take to come up. */
  databaseWaitSeconds: number;
}

/** A database that is ready for use. */
export interface OpenDatabase {
  address: DatabaseAddress;
  /** Where requests connect, if it is another address. */
  pooler?: DatabaseAddress;
  /** Its standbys that answer reads. */
  replicas?: readonly DatabaseAddress[];
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
  { databaseUrl, databasePoolUrl, databaseReadUrls, dataDir, databaseWaitSeconds }: DatabaseSettings,
  listener: Listener,
): Promise<OpenDatabase> {
  const waiting = { waitSeconds: databaseWaitSeconds, ...listener };
  const replicasOf = ({ schema }: DatabaseAddress) =>
    databaseReadUrls.map((url) => ({ ...parseDatabaseUrl(url, "DATABASE_READ_URLS"), schema }));
  if (databaseUrl !== null && databasePoolUrl !== null) {
    const own = parseDatabaseUrl(databasePoolUrl, "DATABASE_POOL_URL");
    const database = await external(databaseUrl, waiting);
    const { address } = database;
    const pooler = { ...own, schema: address.schema, isPooled: true, prepares: false };
    await connected(pooler, "DATABASE_POOL_URL", {
      ...waiting,
      attempt: () => tryPooler(pooler, address),
    });
    return {
      ...database,
      replicas: replicasOf(address),
      pooler: { ...pooler, prepares: await keepsStatements(pooler) },
    };
  }
  if (databaseUrl !== null) {
    const database = await external(databaseUrl, waiting);
    return { ...database, replicas: replicasOf(database.address) };
  }
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

type Waiting = { waitSeconds?: number } & Partial<Listener>;

/** Opens a given database, and waits until it is up. */
async function external(databaseUrl: string, waiting: Waiting = {}): Promise<OpenDatabase> {
  const address = parseDatabaseUrl(databaseUrl);
  await connected(address, "DATABASE_URL", { ...waiting, attempt: () => tryConnection(address) });
  return {
    address,
    place: `${address.database} on ${address.host}:${address.port}`,
    close: async () => {},
  };
}

/** Waits until a database, or the pooler before it, is up, and is what it has to be. */
async function connected(
  address: DatabaseAddress,
  variable: string,
  { waitSeconds = 0, onWait, attempt }: Waiting & { attempt: () => Promise<void> },
): Promise<void> {
  const place = `${address.host}:${address.port}`;
  const untilMs = performance.now() + 1_000 * waitSeconds;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof DatabaseSetupError) throw error;
      const { message, code } = error as Error & { code?: string };
      // A name with several addresses fails with several errors under an empty message. On a timeout the driver names the
      // wrong address.
      const reason = code === "CONNECT_TIMEOUT" ? "it does not respond" : message || code;
      if (!isStarting(code) || performance.now() > untilMs)
        throw new DatabaseSetupError(
          `Cannot connect to the database at ${place} (${variable}): ${reason}. Check that it runs, and that user, password and database name are right.`,
        );
      if (isFirst)
        onWait?.(`Waiting up to ${waitSeconds} s for the database at ${place} (${variable}): ${reason}.`);
      await delay(500);
    }
  }
}

/** @throws {DatabaseSetupError} if it is no PostgreSQL by itself; otherwise what the connection failed with. */
async function tryConnection(address: DatabaseAddress): Promise<void> {
  const sql = connect(address);
  try {
    await sql`select`;
    await refusePooler(sql, address);
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
export async function refusePooler(sql: postgres.Sql, address: DatabaseAddress): Promise<void> {
  const both = await Promise.all([sql.reserve(), sql.reserve()]);
  try {
    const sessions = [];
    for (const one of both)
      sessions.push(
        ...(await one<{ pid: number; path: string }[]>`
          select pg_backend_pid() as pid, current_setting('search_path') as path`),
      );
    const [first, second] = sessions;
    if (
      first?.pid === second?.pid ||
      first?.path.replaceAll(" ", "") !== requestSettings(address)["search_path"]
    )
      throw new Pooled();
  } finally {
    for (const one of both) one.release();
  }
}

const pooledError = ({ host, port }: DatabaseAddress) =>
  new DatabaseSetupError(
    `The database at ${host}:${port} (DATABASE_URL) is behind a connection pooler, such as pgbouncer, that does not keep the settings and ` +
      "statements of a session. Set DATABASE_URL to PostgreSQL itself, which migrations, workers and notifications need, and DATABASE_POOL_URL to the pooler, " +
      "for requests. Without a pooler each process takes at most 23 connections.",
  );

/**
 * @throws {DatabaseSetupError} if a pooler leads to another database, keeps no transactions, or has connections that lack what statements
 * need, with what gives it to them.
 */
async function tryPooler(address: DatabaseAddress, direct: DatabaseAddress): Promise<void> {
  const [sql, own] = [connect(address), connect(direct)];
  try {
    const user = await userOfSame(sql, own);
    const wanted = requestSettings(address);
    const rows = await sql<{ name: string; value: string; milliseconds: string }[]>`
      select name, current_setting(name) as value, setting as milliseconds from pg_settings
      where name = any(${Object.keys(wanted)})`;
    const lacks = rows.filter(
      ({ name, value, milliseconds }) =>
        ![value.replaceAll(" ", ""), milliseconds].includes(wanted[name] ?? ""),
    );
    const commands = lacks.map(
      ({ name }) =>
        `alter role ${quoted(user)} in database ${quoted(direct.database)} set ${name} = ${wanted[name]};`,
    );
    commands.push(
      ...(await missingGrants((text, given) => own.unsafe(text, given), {
        user,
        address: direct,
        works: false,
      })),
    );
    if (commands.length === 0) return;
    throw new DatabaseSetupError(
      `The connections of DATABASE_POOL_URL lack settings or rights. Run this in PostgreSQL, and RECONNECT in the pooler:\n${commands.join("\n")}`,
    );
  } finally {
    await Promise.all([sql.end({ timeout: 1 }), own.end({ timeout: 1 })]);
  }
}

/**
 * The role by which a pooler connects. A lock tells whether it leads to the same database, since each database has its own.
 * @throws {DatabaseSetupError} if it does not, or keeps no transactions.
 */
async function userOfSame(sql: postgres.Sql, own: postgres.Sql): Promise<string> {
  const key = randomInt(2 ** 47);
  await sql`select`;
  const found = await own.begin(async (own) => {
    await own`select pg_advisory_xact_lock(${key}::bigint)`;
    return await sql
      .begin(
        (sql) => sql<{ user: string; isOther: boolean }[]>`
          select session_user::text as user, pg_try_advisory_xact_lock(${key}::bigint) as "isOther"`,
      )
      .catch((error: Error) => error);
  });
  if (found instanceof Error)
    throw new DatabaseSetupError(
      `The pooler of DATABASE_POOL_URL keeps no transaction together (${found.message}). Set its pool_mode to transaction.`,
    );
  const [row] = found;
  if (row && !row.isOther) return row.user;
  throw new DatabaseSetupError(
    "DATABASE_POOL_URL leads to another database than DATABASE_URL. Look at what the pooler has under this name.",
  );
}

/** How long it may take to find out. A pooler with one connection never tells. */
const probeMs = 2_000;

/**
 * Whether a pooler gives a statement that was prepared by name to whichever session runs it, as pgbouncer does since 1.21 if it is set
 * up so. Otherwise a session has other statements by these names, or none, and answers are another request's. So only proof counts.
 */
async function keepsStatements(address: DatabaseAddress): Promise<boolean> {
  // Not by our own driver, which silently prepares once more what a session does not know.
  const pool = new pg.Pool({ ...pgOptions(address), max: address.connections });
  surviveBrokenConnections(pool, () => {});
  const clients: pg.PoolClient[] = [];
  const openOne = async () => {
    const client = await pool.connect();
    clients.push(client);
    return client;
  };
  try {
    return await Promise.race([isKept(openOne, address), delay(probeMs, false)]);
  } catch {
    return false;
  } finally {
    for (const client of clients) client.release(true);
    await pool.end();
  }
}

/** Prepares a statement, occupies the session that has it, and runs it in another. */
async function isKept(
  openOne: () => Promise<pg.PoolClient>,
  { connections }: DatabaseAddress,
): Promise<boolean> {
  const text = "select pg_backend_pid() as pid";
  const pidOf = ({ rows }: pg.QueryResult<{ pid: number }>) => rows[0]?.pid;
  const ask = async (client: pg.PoolClient) => pidOf(await client.query({ name: "promptreg probe", text }));
  const reader = await openOne();
  const prepared = await ask(reader);
  for (let nth = 1; nth < connections; nth += 1) {
    const other = await openOne();
    await other.query("begin");
    if (pidOf(await other.query(text)) === prepared) return (await ask(reader)) !== prepared;
  }
  return false;
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
