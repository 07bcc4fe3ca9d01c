import pg from "pg";
import { type DatabaseAddress, pgOptions } from "../../src/database/connection.ts";
import { migrate } from "../../src/database/migrate.ts";
import { connectToWork } from "../../src/database/open.ts";
import { trends } from "../../src/groups/index.ts";
import { rankPrompts } from "../../src/groups/prompts/rank.sql.ts";
import { createMigrated, dropDatabase } from "../../src/testing/databases.sql.ts";
import { analyzePartitions, liveEarlyDays } from "../seed/old-statistics.ts";
import { huge } from "../seed/registry.ts";
import { seed } from "../seed/seed.ts";

/** Hears what was done, and how long it took. */
export type Say = (what: string, seconds: number) => void;

/**
 * Gives the database with so many prompts, on the server of `address`, which keeps the statistics of its early days. Makes it
 * unless an earlier run did. It gets its name when it is complete.
 */
export async function loadRegistry(
  address: DatabaseAddress,
  prompts: number,
  say: Say,
): Promise<DatabaseAddress> {
  const loaded = { ...address, database: `scale_${prompts}` };
  const draft = { ...address, database: "scale_draft" };
  const client = new pg.Client(pgOptions(address));
  await client.connect();
  try {
    const { rowCount } = await client.query("select from pg_database where datname = $1", [loaded.database]);
    if (rowCount === 0) {
      await dropDatabase(address, draft);
      await createMigrated(address, draft.database);
      await liveEarlyDays(draft);
      await fill(draft, prompts, say);
      await client.query(`alter database ${draft.database} rename to ${loaded.database}`);
    } else await migrate(loaded);
  } finally {
    await client.end();
  }
  return loaded;
}

async function fill(address: DatabaseAddress, prompts: number, say: Say): Promise<void> {
  const client = new pg.Client(pgOptions(address));
  await client.connect();
  const run = async (statement: string) => {
    const startedAt = performance.now();
    await client.query(statement);
    say(statement.split(" ON ")[0]!, (performance.now() - startedAt) / 1000);
  };
  try {
    await client.query("set statement_timeout = 0; set maintenance_work_mem = '1GB'");
    // What is seeded refers to nothing that is missing. To look that up takes as long as to write it.
    await client.query(`alter database ${address.database} set session_replication_role = replica`);
    const indexes = await dropIndexes(client);
    const owners = Math.min(huge.owners!, Math.ceil(prompts / 4));
    const texts = Math.min(huge.texts!, Math.ceil(prompts / 4));
    await seed(
      address,
      { ...huge, prompts, owners, texts },
      {
        onTable: (name, rows, seconds) => say(`${rows.toLocaleString("en")} ${name}`, seconds),
        analyzes: false,
      },
    );
    for (const statement of indexes) await run(statement);
    await client.query(`alter database ${address.database} reset session_replication_role`);
    await analyzePartitions(address);
    await rank(address, say);
    await run("vacuum");
  } finally {
    await client.end();
  }
}

/** Drops the indexes that no constraint needs, and gives the statements that make them. Those of partitions stay. */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; statement: string }>(`
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as statement
    from pg_index i join pg_class c on c.oid = i.indrelid
    where c.relnamespace = 'promptreg'::regnamespace and c.relkind = 'r' and not c.relispartition
      and c.relpersistence = 'p' and not exists (select from pg_constraint where conindid = i.indexrelid)
    order by name`);
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows.map(({ statement }) => statement);
}

/** The first ranking changes many prompts; those of every hour after it, few. */
async function rank(address: DatabaseAddress, say: Say): Promise<void> {
  const sql = connectToWork(address);
  const startedAt = performance.now();
  await rankPrompts(sql, trends);
  await sql.end();
  say("first ranking", (performance.now() - startedAt) / 1000);
}
