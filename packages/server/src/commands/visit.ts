import type postgres from "postgres";
import { readConfig } from "../config.ts";
import { DatabaseSetupError } from "../database/connection.ts";
import { hasCluster } from "../database/cluster.ts";
import { migrate } from "../database/migrate.ts";
import { connect, openDatabase, type OpenDatabase } from "../database/open.ts";
import type { Sql } from "../database/sql.ts";
import { asApiError } from "../kernel/failures/as-api-error.ts";
import { surviveLogins } from "../kernel/failures/log.ts";

/**
 * Runs a command on a migrated database, whether or not a server runs, and closes it afterwards.
 * @throws {DatabaseSetupError} if there is none, unless the command makes one: a mistake in an address must not make a registry.
 */
export async function visit<T>(
  act: (sql: postgres.Sql, database: OpenDatabase) => Promise<T>,
  { creates = false } = {},
): Promise<T> {
  // Listens from the start, so that an interrupted command leaves no PostgreSQL running.
  const interrupted = signalled().then(() => {
    throw new DatabaseSetupError("Interrupted.");
  });
  // Awaited below.
  interrupted.catch(() => {});
  const config = readConfig(process.env);
  if (!creates && config.databaseUrl === null && !hasCluster(config.dataDir))
    throw new DatabaseSetupError(
      `There is no database in ${config.dataDir}. Set PROMPTREG_DATA_DIR or DATABASE_URL to where one is, or start a server first.`,
    );
  const stopSurviving = surviveLogins(() => {});
  let database: OpenDatabase | undefined;
  try {
    database = await openDatabase(config);
    await migrate(database.address, { creates });
    const sql = connect(database.address);
    try {
      return await Promise.race([act(sql, database), interrupted]);
    } catch (error) {
      if (error instanceof DatabaseSetupError || asApiError(error).code !== "unavailable") throw error;
      throw new DatabaseSetupError(
        `The database ended the connection, or does not answer (${(error as Error).message}). Run the command again once it does.`,
      );
    } finally {
      await sql.end({ timeout: 5 });
    }
  } finally {
    await database?.close();
    stopSurviving();
  }
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** How long stopping may take. PostgreSQL stops without us once it was asked to. */
const endMs = 15_000;

/**
 * Resolves with the signal when the process is asked to stop. `moreMs`: how much longer stopping may take. The signal often comes
 * more than once, from the process group and from the parent, on a busy machine seconds apart. Only a second Ctrl-C after a second
 * or more ends the process at once.
 */
export const signalled = (moreMs = () => 0) =>
  new Promise<NodeJS.Signals>((resolve) => {
    const heard = (signal: NodeJS.Signals) => {
      resolve(signal);
      setTimeout(() => process.off("SIGINT", heard), 1_000).unref();
      // In case something waits for a database that does not respond.
      setTimeout(() => process.exit(1), endMs + moreMs()).unref();
    };
    signals.forEach((signal) => process.on(signal, heard));
  });

/** Finds an account by its handle, if it was not deleted. */
export async function userIdOf(sql: Sql, handle: string): Promise<string> {
  const [row] = await sql<{ id: string | null; isDeleted: boolean }[]>`
    select id, deleted_at is not null as "isDeleted" from users where handle = ${handle}
    union all
    select null, true from former_handles f left join users u on u.id = f.user_id
    where f.handle = ${handle} and (u.id is null or u.deleted_at is not null)`;
  if (row?.id && !row.isDeleted) return row.id;
  throw new DatabaseSetupError(
    row
      ? `The account ${handle} was deleted.`
      : `No account ${handle}. List accounts with \`promptreg-server user list\`.`,
  );
}

/** Writes an audit row about what an operator did, in the transaction of the change. */
export const auditOperator = (
  sql: Sql,
  { action, target, data = {} }: { action: string; target: string; data?: Record<string, unknown> },
) =>
  sql`insert into audit_log (action, target, data) values (${action}, ${target}, ${sql.json(data as never)})`;

/** Prints a result: rows as a table for people, or as JSON. */
export function print(rows: readonly object[], { json = false }: { json?: boolean }): void {
  if (json) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  else if (rows.length === 0) process.stderr.write("None.\n");
  else process.stdout.write(`${table(rows)}\n`);
}

function table(rows: readonly object[]): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = [
    names,
    ...rows.map((row) => names.map((name) => String(row[name as keyof typeof row] ?? ""))),
  ];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
