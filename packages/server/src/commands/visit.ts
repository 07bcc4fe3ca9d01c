import type postgres from "postgres";
import { readConfig } from "../config.ts";
import { DatabaseSetupError } from "../database/connection.ts";
import { migrate } from "../database/migrate.ts";
import { connect, openDatabase, type OpenDatabase } from "../database/open.ts";

/** Does one thing with an up-to-date database, beside a running server or without one, and leaves it as it was. */
export async function visit<T>(act: (sql: postgres.Sql, database: OpenDatabase) => Promise<T>): Promise<T> {
  // From the beginning, and to the end: a command that is interrupted leaves no PostgreSQL behind either.
  const interrupted = signalled().then(() => {
    throw new DatabaseSetupError("Interrupted.");
  });
  // Heard below, once there is something to leave.
  interrupted.catch(() => {});
  const database = await openDatabase(readConfig(process.env));
  try {
    await migrate(database.address);
    const sql = connect(database.address);
    try {
      return await Promise.race([act(sql, database), interrupted]);
    } finally {
      await sql.end({ timeout: 5 });
    }
  } finally {
    await database.close();
  }
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** As long as ending may take. PostgreSQL, once it was asked to stop, does so without us. */
const endMs = 15_000;

/**
 * Resolves when the process is asked to end. It often hears so more than once, through its process group and from
 * whoever started it, on a busy machine seconds apart. Only a Ctrl-C a second later is meant, and ends it at once.
 */
export const signalled = () =>
  new Promise<void>((resolve) => {
    const heard = () => {
      resolve();
      setTimeout(() => process.off("SIGINT", heard), 1_000).unref();
      // Whatever waits for a database that does not answer.
      setTimeout(() => process.exit(1), endMs).unref();
    };
    signals.forEach((signal) => process.on(signal, heard));
  });

/** Prints a result: rows as a table for people, or as JSON. */
export function print(rows: readonly object[], { json = false }: { json?: boolean }): void {
  if (json) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  else if (rows.length === 0) process.stderr.write("There are none.\n");
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
