import type { TestServer } from "./harness.ts";

/** Makes the database of a server read-only, as after a failover, or lets it take writes again. */
export async function setReadOnly({ sql, database }: TestServer, how: "on" | "off"): Promise<void> {
  const name = new URL(database.url).pathname.slice(1);
  const one = await sql.reserve();
  await one`set default_transaction_read_only = off`;
  await one`alter database ${sql(name)} set default_transaction_read_only = ${sql(how)}`;
  one.release();
  // It applies to new sessions only.
  await sql`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
  await sql`select pg_terminate_backend(pg_backend_pid())`.catch(() => {});
}
