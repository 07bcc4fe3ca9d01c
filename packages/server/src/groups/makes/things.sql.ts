import type { JsonText } from "@promptreg/core";
import type { Piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { galleryItem, type Looking, makeFile, part } from "./shown.sql.ts";

/** What a make has in an order of its maker's. Everything here needs the lock of the make. */
export type ThingTable = "make_files" | "gallery_items" | "make_parts";

const tables: Record<ThingTable, { printed: Piece<Looking>; from: (sql: Sql) => Fragment; alias: string }> = {
  make_files: {
    printed: makeFile,
    from: (sql) => sql`make_files f join media m on m.id = f.media_id join makes k on k.id = f.make_id`,
    alias: "f",
  },
  gallery_items: {
    printed: galleryItem,
    from: (sql) => sql`gallery_items g join makes k on k.id = g.make_id`,
    alias: "g",
  },
  make_parts: {
    printed: part,
    from: (sql) => sql`make_parts a join makes k on k.id = a.make_id`,
    alias: "a",
  },
};

/** Things of a make as JSON, in their order: all, or one. */
export async function selectThings(
  sql: Sql,
  table: ThingTable,
  { makeId, id, ...looking }: { makeId: string; id?: string } & Looking,
): Promise<JsonText<never>[]> {
  const { printed, from, alias } = tables[table];
  const rows = await sql<{ item: JsonText<never> }[]>`
    select ${printed(sql, looking)}::text as item from ${from(sql)}
    where ${sql(alias)}.make_id = ${makeId} ${id === undefined ? sql`` : sql`and ${sql(alias)}.id = ${id}`} order by ${sql(alias)}.position`;
  return rows.map(({ item }) => item);
}

/** The ids of all things of a make. */
export async function selectIds(sql: Sql, table: ThingTable, makeId: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from ${sql(table)} where make_id = ${makeId} order by position`;
  return rows.map(({ id }) => id);
}

/** Gives things the positions 1, 2, … in this order. */
export const orderThings = (sql: Sql, table: ThingTable, ids: readonly string[]) => sql`
  update ${sql(table)} t set position = wanted.position::int
  from unnest(${[...ids]}::text[]) with ordinality wanted (id, position) where t.id = wanted.id`;

export const deleteThing = (sql: Sql, table: ThingTable, id: string) => sql`
  delete from ${sql(table)} where id = ${id}`;

/** The position after the last one, as SQL. */
export const nextPosition = (sql: Sql, table: ThingTable, makeId: string): Fragment =>
  sql`(select coalesce(max(position), 0) + 1 from ${sql(table)} where make_id = ${makeId})`;
