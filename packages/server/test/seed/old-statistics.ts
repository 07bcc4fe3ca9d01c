import postgres from "postgres";
import { type DatabaseAddress, parseDatabaseUrl, postgresOptions } from "../../src/database/connection.ts";
import { copyDatabase, dropDatabase } from "../../src/testing/databases.sql.ts";
import { shiftClock, stopClock } from "../../src/testing/world.sql.ts";
import type { TestDatabase } from "../harness.ts";
import { ageMs, small, tiny } from "./registry.ts";
import { seed } from "./seed.ts";

/**
 * Fills an empty, migrated database, and gives a copy of it with the statistics of its early days: it had a fiftieth of its rows
 * then, and most of today's ids are beyond all that they know.
 */
export async function seedWithOldStatistics({ url }: Pick<TestDatabase, "url">): Promise<TestDatabase> {
  const address = parseDatabaseUrl(url);
  await liveEarlyDays(address);
  await seed(address, small, { analyzes: false, checks: false });
  const copy = await copyDatabase(address, { template: address.database, prefix: address.database });
  await withOne(address, (sql) => sql`analyze`);
  await analyzePartitions(copy);
  return {
    url: new URL(`/${copy.database}`, url).href,
    drop: () => dropDatabase(address, copy),
  };
}

/** Leaves an empty, migrated database empty, with the statistics of a small registry of years ago, which PostgreSQL does not renew. */
export async function liveEarlyDays(address: DatabaseAddress): Promise<void> {
  await withOne(address, async (sql) => {
    await stopClock(sql, new Date(Date.now() - ageMs).toISOString());
    await seed(address, tiny);
    await shiftClock(sql, 0);
    const tables = await tablesOf(
      sql,
      "relkind in ('r', 'p') and relname <> 'migrations' and not relispartition",
    );
    await sql.unsafe(`truncate ${tables.join()} cascade`);
    for (const table of await tablesOf(sql, "relkind = 'r'"))
      await sql.unsafe(`alter table ${table} set (autovacuum_enabled = false)`);
  });
}

/** A partition lasts a day, and its statistics are of that day. */
export const analyzePartitions = (address: DatabaseAddress): Promise<void> =>
  withOne(address, async (sql) => {
    for (const table of await tablesOf(sql, "relkind = 'r' and relispartition"))
      await sql.unsafe(`analyze ${table}`);
  });

async function tablesOf(sql: postgres.Sql, which: string): Promise<string[]> {
  const rows = await sql.unsafe<{ name: string }[]>(`
    select oid::regclass::text as name from pg_class where relnamespace = 'promptreg'::regnamespace and ${which}`);
  return rows.map(({ name }) => name);
}

async function withOne(
  address: DatabaseAddress,
  work: (sql: postgres.Sql) => PromiseLike<unknown>,
): Promise<void> {
  const sql = postgres({ ...postgresOptions(address), max: 1, onnotice: () => {} });
  try {
    await sql`set statement_timeout = 0`;
    await work(sql);
  } finally {
    await sql.end();
  }
}
