import postgres from "postgres";
import type { Config } from "../config.ts";
import { type DatabaseAddress, DatabaseSetupError, parseDatabaseUrl, postgresOptions } from "./connection.ts";
import { startEmbedded } from "./embedded.ts";
import { guardTransactions } from "./transaction.ts";

/** A database that can be used, and let go. */
export interface OpenDatabase {
  address: DatabaseAddress;
  /** Where the data is, for people. */
  place: string;
  /** Lets it go: an embedded PostgreSQL that nobody else uses is stopped. */
  close(): Promise<void>;
}

/** Our own pool. Notices (a table that exists already) are nobody's news. */
export const connect = (address: DatabaseAddress) =>
  guardTransactions(postgres({ ...postgresOptions(address), onnotice: () => {} }));

/** Opens the database for a command: the given one, or the embedded one, which may be running beside a server. */
export async function openDatabase({ databaseUrl, dataDir }: Config): Promise<OpenDatabase> {
  if (databaseUrl !== null) return external(databaseUrl);
  const embedded = await startEmbedded(dataDir);
  const address = parseDatabaseUrl(embedded.url);
  return {
    address,
    place: dataDir,
    close: async () => {
      if (!embedded.isAdopted && !(await isShared(address))) await embedded.stop();
    },
  };
}

/** Opens the database to serve from: an embedded one belongs to one server, which brings it back when it dies. */
export async function openDatabaseToServe(
  { databaseUrl, dataDir }: Config,
  onTrouble: (error: unknown) => void,
): Promise<OpenDatabase> {
  if (databaseUrl !== null) return external(databaseUrl);
  let embedded = await startEmbedded(dataDir);
  const address = parseDatabaseUrl(embedded.url);
  let isClosing = false;
  let claim: postgres.Sql | undefined;
  claim = await claimOwnership();
  return {
    address,
    place: dataDir,
    async close() {
      isClosing = true;
      await claim?.end({ timeout: 1 });
      await embedded.stop();
    },
  };

  /** Holds a lock for as long as we serve: PostgreSQL itself knows who has it, and forgets who died. */
  async function claimOwnership(): Promise<postgres.Sql> {
    const sql = postgres({
      ...postgresOptions(address),
      max: 1,
      idle_timeout: 0,
      max_lifetime: null,
      onclose: revive,
    });
    const [lock] = await sql<{ taken: boolean }[]>`
      select pg_try_advisory_lock(hashtext('promptreg serve')) as taken`;
    if (lock?.taken) return sql;
    isClosing = true;
    await sql.end({ timeout: 1 });
    throw new DatabaseSetupError(
      `Another server already serves ${dataDir}. Use that one, stop it, or set PROMPTREG_DATA_DIR to another folder.`,
    );
  }

  function revive(): void {
    if (isClosing) return;
    isClosing = true;
    void (async () => {
      await claim?.end({ timeout: 0 });
      embedded = await startEmbedded(dataDir, { port: address.port });
      isClosing = false;
      claim = await claimOwnership();
    })().catch(onTrouble);
  }
}

function external(databaseUrl: string): OpenDatabase {
  const address = parseDatabaseUrl(databaseUrl);
  return { address, place: `${address.database} on ${address.host}:${address.port}`, close: async () => {} };
}

/** Whether anybody else is connected: a server that started meanwhile must not lose its database to a command. */
async function isShared(address: DatabaseAddress): Promise<boolean> {
  const sql = connect(address);
  try {
    const [row] = await sql<{ others: number }[]>`
      select count(*)::int as others from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid()`;
    return (row?.others ?? 0) > 0;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
