import { setTimeout as delay } from "node:timers/promises";
import postgres from "postgres";
import type { Config } from "../config.ts";
import {
  type DatabaseAddress,
  DatabaseSetupError,
  parseDatabaseUrl,
  postgresOptions,
  workOptions,
} from "./connection.ts";
import { type EmbeddedDatabase, startEmbedded } from "./embedded.ts";
import { openRenewingPool } from "./renewal.ts";

/** A database that can be used, and let go. */
export interface OpenDatabase {
  address: DatabaseAddress;
  /** Where the data is, for people. */
  place: string;
  /** Lets it go: an embedded PostgreSQL that nobody else uses is stopped. */
  close(): Promise<void>;
}

/** Our own pool. */
export const connect = (address: DatabaseAddress) => openRenewingPool(postgresOptions(address));

/**
 * The pool of a worker: requests do not wait for deliveries, nor they for requests. Its few statements over tables of
 * many partitions are planned once; by itself PostgreSQL would plan them for every execution, ten times as long as
 * they take.
 */
export const connectToWork = (address: DatabaseAddress) => openRenewingPool(workOptions(address));

/** Opens the database for a command: the given one, or the embedded one, which may be running beside a server. */
export async function openDatabase({ databaseUrl, dataDir }: Config): Promise<OpenDatabase> {
  if (databaseUrl !== null) return external(databaseUrl);
  const stay = await enter(dataDir);
  return { address: stay.address, place: dataDir, close: () => leave(stay) };
}

/** Opens the database to serve from: an embedded one belongs to one server, which brings it back when it dies. */
export async function openDatabaseToServe(
  { databaseUrl, dataDir }: Config,
  onTrouble: (error: unknown) => void,
): Promise<OpenDatabase> {
  if (databaseUrl !== null) return external(databaseUrl);
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

  /** Holds a lock for as long as we serve: PostgreSQL itself knows who has it, and forgets who died. */
  async function own(port?: number): Promise<Stay> {
    const entered = await enter(dataDir, { port, onLost: revive });
    const [lock] = await entered.session<{ taken: boolean }[]>`
      select pg_try_advisory_lock(hashtext('promptreg serve')) as taken`;
    if (lock?.taken) return entered;
    isOpen = false;
    await leave(entered);
    throw new DatabaseSetupError(
      `Another server already serves ${dataDir}. Use that one, stop it, or set PROMPTREG_DATA_DIR to another folder.`,
    );
  }

  function revive(): void {
    if (!isOpen || reviving) return;
    reviving = (async () => {
      await stay.session.end({ timeout: 0 });
      while (isOpen) {
        try {
          stay = await own(stay.address.port);
          return;
        } catch (error) {
          onTrouble(error);
          await delay(1_000);
        }
      }
    })().finally(() => (reviving = undefined));
  }
}

/** Somebody's time with the embedded PostgreSQL. */
interface Stay {
  embedded: EmbeddedDatabase;
  address: DatabaseAddress;
  /** Holds a lock that all who are here share; whoever leaves last has it alone, and stops PostgreSQL. */
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
      // Whoever left last is stopping it this moment: the next start is ours.
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
    // It is gone already.
  }
  await session.end({ timeout: 1 });
}

async function external(databaseUrl: string): Promise<OpenDatabase> {
  const address = parseDatabaseUrl(databaseUrl);
  const sql = connect(address);
  try {
    await sql`select`;
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    // A name with several addresses fails with several errors, and an empty message over them; one that says nothing is
    // named by the driver without its address.
    const reason = code === "CONNECT_TIMEOUT" ? "it does not answer" : message || code;
    throw new DatabaseSetupError(
      `The database of DATABASE_URL, at ${address.host}:${address.port}, lets nobody in: ${reason}. Is it running, and are user, password and name right?`,
    );
  } finally {
    await sql.end({ timeout: 1 });
  }
  return { address, place: `${address.database} on ${address.host}:${address.port}`, close: async () => {} };
}
