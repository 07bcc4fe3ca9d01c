import { limitTo } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";

/** A log goes back 30 days. Envelopes are kept longer, so that a redelivery on the last day still has its own. */
const keptDays = { deliveries: 30, events: 60 };
const daysAhead = 8;
const someRows = limitTo(10_000);

/** Makes the partitions of the coming days, and drops those of past days. */
export async function turnPartitions(sql: Sql): Promise<void> {
  for (const [parent, days] of Object.entries(keptDays)) {
    await sql`select make_partitions(${parent}, clock()::date, ${daysAhead})`;
    while ((await sql`select drop_partition(${parent}, ${days}) as dropped`)[0]?.["dropped"]);
    // Of days without a partition of their own.
    await sql`
      delete from ${sql(`${parent}_other`)} where (day, id) in (
        select day, id from ${sql(`${parent}_other`)} where day < clock()::date - ${days}::int ${someRows(sql)})`;
  }
}
