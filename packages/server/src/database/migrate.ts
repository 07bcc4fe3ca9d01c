import { readdirSync } from "node:fs";
import pg from "pg";
import { migrationsFolder } from "../migrations.ts";
import { type DatabaseAddress, DatabaseSetupError, pgOptions } from "./connection.ts";
import { surviveBrokenConnections } from "./pool.ts";

const table = "migrations";

const shipped = () =>
  readdirSync(migrationsFolder)
    .filter((name) => name.endsWith(".sql"))
    .map((name) => name.slice(0, -".sql".length));

/** The migrations that the database lacks. A newer database lacks none, and can be used. */
async function pending(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query("select to_regclass($1) is not null as exists", [`promptreg.${table}`]);
  if (!rows[0]?.exists) return shipped();
  const { rows: applied } = await client.query(`select name from promptreg.${table}`);
  const names = new Set(applied.map(({ name }) => name));
  return shipped().filter((name) => !names.has(name));
}

/**
 * Migrates the database: our tables, then those of the job queue, under one lock that other processes wait for. Gives the
 * names of the migrations it applied.
 */
export async function migrate(address: DatabaseAddress): Promise<string[]> {
  const options = pgOptions(address);
  // Waiting for another server, and for a large table, takes as long as it takes; of two settings the last counts.
  const pool = new pg.Pool({ ...options, max: 2, options: `${options.options} -c statement_timeout=0` });
  surviveBrokenConnections(pool, () => {});
  const client = await pool.connect();
  try {
    await client.query("select pg_advisory_lock(hashtext('promptreg migrations'))");
    const names = await pending(client);
    if (names.length > 0) {
      const { runner } = await import("node-pg-migrate");
      await runner({
        dbClient: client,
        dir: migrationsFolder,
        direction: "up",
        migrationsTable: table,
        migrationsSchema: "promptreg",
        schema: ["promptreg", "public"],
        createSchema: true,
        createMigrationsSchema: true,
        noLock: true,
        log: () => {},
      });
    }
    const { runMigrations } = await import("graphile-worker");
    await runMigrations({ pgPool: pool });
    return names;
  } finally {
    client.release(true);
    await pool.end();
  }
}

/** @throws {DatabaseSetupError} if the database needs migration. */
export async function requireMigrated(address: DatabaseAddress): Promise<void> {
  const client = new pg.Client(pgOptions(address));
  await client.connect();
  try {
    const names = await pending(client);
    if (names.length === 0) return;
    throw new DatabaseSetupError(
      `The database needs migration: it lacks ${names.join(", ")}. Run \`promptreg-server migrate\`, or start without --no-migrate.`,
    );
  } finally {
    await client.end();
  }
}
