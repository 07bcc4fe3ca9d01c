import type pg from "pg";

export interface Table {
  name: string;
  /** All but those that are computed from others. */
  columns: string[];
}

/** Our tables, each after those it refers to; partitions are in their parents. What is unlogged may be lost at any time, and the mark of the secret is that of one database. */
export async function listTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table & { parents: string[] }>(`
    select c.relname::text as name,
      array(
        select attname::text from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum
      ) as columns,
      array(
        select r.relname::text from pg_constraint f join pg_class r on r.oid = f.confrelid
        where f.conrelid = c.oid and f.contype = 'f' and f.conparentid = 0 and f.confrelid <> c.oid
      ) as parents
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relpersistence = 'p' and c.relname not in ('migrations', 'secret_mark')
    order by name`);
  const tables = new Map<string, Table>();
  while (tables.size < rows.length) {
    const next = rows.find(
      ({ name, parents }) => !tables.has(name) && parents.every((parent) => tables.has(parent)),
    );
    if (!next)
      throw new Error("Tables refer to each other in a circle, so that none of them can come first.");
    tables.set(next.name, { name: next.name, columns: next.columns });
  }
  return [...tables.values()];
}

/** Columns that PostgreSQL numbers by itself. */
export async function listIdentities(client: pg.Client): Promise<{ table: string; column: string }[]> {
  const { rows } = await client.query<{ table: string; column: string }>(`
    select table_name::text as table, column_name::text as column from information_schema.columns
    where table_schema = current_schema() and is_identity = 'YES'`);
  return rows;
}
