import pg from "pg";
import { type DatabaseAddress, pgOptions } from "./connection.ts";
import type { Sql } from "./sql.ts";

/** Smaller tables are read fast by any plan. */
const mostUnknownBytes = 1_000_000;

/**
 * Tables whose statistics PostgreSQL does not renew by itself, or not soon enough: partitioned ones, whose partitions alone are
 * analysed, once a day; and those that a restore filled, whose plans are guesses until then.
 */
const selectUnknown = (sql: Sql) => sql<{ name: string; isPartitioned: boolean }[]>`
  select c.oid::regclass::text as name, c.relkind = 'p' as "isPartitioned"
  from pg_class c left join pg_stat_all_tables s on s.relid = c.oid
  where c.relnamespace = current_schema()::regnamespace and case c.relkind
    when 'p' then coalesce(s.last_analyze < now() - interval '1 day', true) and (
      select sum(pg_relation_size(inhrelid)) from pg_inherits where inhparent = c.oid) > ${mostUnknownBytes}
    when 'r' then c.reltuples < 0 and pg_relation_size(c.oid) > ${mostUnknownBytes}
    else false end
  order by name`;

/**
 * Analyses what nobody else does. On a connection of its own, since it may take longer than any other statement may. Of several
 * processes one does it.
 */
export async function renewStatistics(sql: Sql, address: DatabaseAddress): Promise<void> {
  const tables = await selectUnknown(sql);
  if (tables.length === 0) return;
  const client = new pg.Client(pgOptions(address));
  // What fails is thrown by its query.
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query("set statement_timeout = 0");
    const { rows } = await client.query(
      "select pg_try_advisory_lock(hashtext('promptreg statistics')) as taken",
    );
    if (!rows[0]?.taken) return;
    const { rows: versions } = await client.query("show server_version_num");
    // Before, the partitions are analysed with it.
    const canSkipPartitions = Number(versions[0]?.server_version_num) >= 180_000;
    for (const { name, isPartitioned } of tables)
      await client.query("select analyze_table($1, $2)", [name, isPartitioned && canSkipPartitions]);
  } finally {
    await client.end();
  }
}
