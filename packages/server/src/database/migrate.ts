import { readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { migrationsFolder } from "../migrations.ts";
import { release } from "../release.ts";
import { type DatabaseAddress, DatabaseSetupError, pgOptions, queueSchemaOf } from "./connection.ts";
import { requireRights } from "./rights.ts";
import { surviveBrokenConnections } from "./pool.ts";

const table = "migrations";

/**
 * How long a migration waits for a table that somebody reads, and how long until it tries again. While it waits, new readers wait
 * behind it. If it waited for a second, PostgreSQL would look for deadlocks, and could end a reader's statement.
 */
const lockMs = 300;
const pauseMs = 500;

const shipped = () =>
  readdirSync(migrationsFolder)
    .filter((name) => name.endsWith(".sql"))
    .map((name) => name.slice(0, -".sql".length));

/** Compares releases by their numbers: 0.10.0 is newer than 0.9.0. */
const releases = new Intl.Collator("en", { numeric: true });

/** @throws {DatabaseSetupError} if a newer release took away what this one needs. */
async function requireServed(client: pg.ClientBase, { schema }: DatabaseAddress): Promise<void> {
  const oldest = `${schema}.oldest_release`;
  const { rows: found } = await client.query("select to_regproc($1) is not null as exists", [oldest]);
  if (!found[0]?.exists) return;
  const { rows } = await client.query(`select ${oldest}() as name`);
  const { name } = rows[0];
  if (releases.compare(release, name) >= 0) return;
  throw new DatabaseSetupError(
    `The database works with release ${name} and later ones, and this is ${release}. Install @promptreg/server ${name} or later. ` +
      "To go back to an older release, restore a backup that was made with it.",
  );
}

const rowsOf = (client: pg.ClientBase) => async (text: string, given: unknown[]) =>
  (await client.query<object>(text, given)).rows;

/** The migrations that the database lacks. A newer database lacks none, and can be used. */
async function pending(client: pg.ClientBase, { schema }: DatabaseAddress): Promise<string[]> {
  const { rows } = await client.query("select to_regclass($1) is not null as exists", [`${schema}.${table}`]);
  if (!rows[0]?.exists) return shipped();
  const { rows: applied } = await client.query(`select name from ${schema}.${table}`);
  const names = new Set(applied.map(({ name }) => name));
  return shipped().filter((name) => !names.has(name));
}

/**
 * Migrates the database: our tables, then those of the job queue, under one lock that other processes wait for. Gives the
 * names of the migrations it applied. `before`: as an earlier release left it, for tests. `creates`: also an empty database.
 * @throws {DatabaseSetupError} if the database no longer works with this release, or the login may not migrate it.
 */
export async function migrate(
  address: DatabaseAddress,
  { before, creates = true }: { before?: string; creates?: boolean } = {},
): Promise<string[]> {
  const options = pgOptions(address);
  // Waiting for another server, and for a large table, takes as long as it takes; of two settings the last counts.
  const pool = new pg.Pool({ ...options, max: 2, options: `${options.options} -c statement_timeout=0` });
  surviveBrokenConnections(pool, () => {});
  const client = await pool.connect();
  try {
    await client.query("select pg_advisory_lock(hashtext('promptreg migrations'))");
    await requireRights(rowsOf(client), address);
    await requireServed(client, address);
    const lacking = await pending(client, address);
    if (!creates && lacking.length === shipped().length) throw needsMigration(address, lacking);
    const names = lacking.filter((name) => before === undefined || name < before);
    if (names.length > 0) await apply(client, address, names.length);
    const { runMigrations } = await import("graphile-worker");
    await runMigrations({ pgPool: pool, schema: queueSchemaOf(address) });
    return names;
  } catch (error) {
    throw isRefused(error) ? new DatabaseSetupError(messageOf(error, address)) : error;
  } finally {
    client.release(true);
    await pool.end();
  }
}

/** Each migration has a transaction of its own, so that it locks no tables for the time of another. */
async function apply(client: pg.PoolClient, { schema }: DatabaseAddress, count: number): Promise<void> {
  const { runner } = await import("node-pg-migrate");
  // `if not exists` asks for the right to create it even if it exists.
  const { rows } = await client.query("select to_regnamespace($1) is null as missing", [schema]);
  if (rows[0]?.missing) await client.query(`create schema ${schema}`);
  await client.query(`set lock_timeout = ${lockMs}`);
  for (;;) {
    try {
      await runner({
        dbClient: client,
        dir: migrationsFolder,
        direction: "up",
        count,
        migrationsTable: table,
        migrationsSchema: schema,
        schema: [schema, "public"],
        singleTransaction: false,
        noLock: true,
        log: () => {},
      });
      return;
    } catch (error) {
      await client.query("rollback");
      if (codeOf(error) !== lockNotAvailable) throw error;
      await delay(pauseMs);
    }
  }
}

const lockNotAvailable = "55P03";
const insufficientPrivilege = "42501";
const raisedByUs = "P0001";
const codeOf = (error: unknown) => (error as { code?: unknown } | null)?.code;
const isRefused = (error: unknown): error is Error =>
  [insufficientPrivilege, raisedByUs].includes(String(codeOf(error)));

/** What an operator hears. What a migration raises itself says already what to do. */
const messageOf = (error: Error, { user, database }: DatabaseAddress): string =>
  codeOf(error) === raisedByUs
    ? error.message
    : `${error.message}. The login ${user} needs the right to create schemas and an extension. As an administrator, run: ` +
      `grant create on database "${database}" to "${user}"; then start again. ` +
      "Or let another login run `promptreg-server migrate`, and start with --no-migrate.";

const needsMigration = ({ host, port, database, schema }: DatabaseAddress, names: readonly string[]) => {
  const place = `The database ${database} at ${host}:${port}`;
  const lacks =
    names.length === shipped().length
      ? `${place} has no Promptreg in the schema ${schema}.`
      : `${place} needs migration: it lacks ${names.length}, from ${names[0]} on.`;
  return new DatabaseSetupError(
    `${lacks} Start a server first, without --no-migrate, or run \`promptreg-server migrate\`.`,
  );
};

/** @throws {DatabaseSetupError} if the database needs migration, or no longer works with this release. */
export async function requireMigrated(address: DatabaseAddress): Promise<void> {
  const client = new pg.Client(pgOptions(address));
  await client.connect();
  try {
    await requireRights(rowsOf(client), address);
    await requireServed(client, address);
    const names = await pending(client, address);
    if (names.length === 0) return;
    throw needsMigration(address, names);
  } finally {
    await client.end();
  }
}
