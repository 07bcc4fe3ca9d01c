import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { type DatabaseAddress, postgresOptions } from "../database/connection.ts";
import { migrate } from "../database/migrate.ts";
import { migrationsFolder } from "../migrations.ts";

/** Opens one connection for `work`, and closes it: an open one would keep the process alive. */
async function withConnection<T>(
  address: DatabaseAddress,
  work: (sql: postgres.Sql) => Promise<T>,
): Promise<T> {
  const sql = postgres({
    // A database is dropped once all processes of PostgreSQL have let go of its files, which a busy machine delays.
    ...postgresOptions({ ...address, silenceMs: 300_000 }),
    max: 1,
    onnotice: () => {},
    fetch_types: false,
  });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

/** Creates a migrated database on the server of `address`. */
export async function createMigrated(address: DatabaseAddress, name: string): Promise<void> {
  await withConnection(address, (sql) => sql.unsafe(`create database ${name}`));
  await migrate({ ...address, database: name });
}

/**
 * Returns the name of a migrated template database, and creates it if it is missing. Its name depends on the migrations. Of
 * several processes at once, one creates it. A killed process leaves no incomplete template.
 */
export const ensureTemplate = (address: DatabaseAddress): Promise<string> =>
  withConnection(address, async (sql) => {
    const name = `promptreg_template_${migrationsDigest()}`;
    await sql`select pg_advisory_lock(hashtext('promptreg template'))`;
    const [there] = await sql`select from pg_database where datname = ${name}`;
    if (there === undefined) {
      await sql.unsafe(`drop database if exists ${name}_draft with (force)`);
      await createMigrated(address, `${name}_draft`);
      await sql.unsafe(`alter database ${name}_draft rename to ${name}`);
    }
    return name;
  });

function migrationsDigest(): string {
  const digest = createHash("sha256");
  for (const name of readdirSync(migrationsFolder).sort()) {
    digest.update(`${name}\n`).update(readFileSync(join(migrationsFolder, name)));
  }
  return digest.digest("hex").slice(0, 12);
}

/**
 * Copies a database, under a new name that begins with `prefix`. To copy its files takes half the work of logging each
 * of its pages, but has the server write down all it holds first: cheap only where nothing is written for good.
 */
export async function copyDatabase(
  address: DatabaseAddress,
  { template, prefix }: { template: string; prefix: string },
): Promise<DatabaseAddress> {
  const database = `${prefix}_${randomBytes(6).toString("hex")}`;
  await withConnection(address, async (sql) => {
    const [durable] = await sql`select from pg_settings where name = 'fsync' and setting = 'on'`;
    const strategy = durable ? "wal_log" : "file_copy";
    await sql.unsafe(`create database ${database} template ${template} strategy ${strategy}`);
  });
  return { ...address, database };
}

/** Drops a database, even if clients are connected, through another database of its server. */
export const dropDatabase = (
  address: DatabaseAddress,
  { database }: Pick<DatabaseAddress, "database">,
): Promise<void> =>
  withConnection(address, async (sql) => {
    await sql.unsafe(`drop database if exists ${database} with (force)`);
  });
