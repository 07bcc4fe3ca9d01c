import { one } from "../../database/rows.ts";
import type { AddPart, UpdatePart } from "@promptreg/core";
import type { Sql } from "../../database/sql.ts";
import { nextPosition } from "./things.sql.ts";

/** Writes a line after the others of its make, and gives its id. */
export async function insertPart(
  sql: Sql,
  makeId: string,
  { name, quantity = 1, unit = null, url = null, price = null, note = null, optional = false }: AddPart,
): Promise<string> {
  const { id } = await one(sql<{ id: string }[]>`
    insert into make_parts (make_id, name, quantity, unit, url, price, currency, note, optional, position)
    values (${makeId}, ${name}, ${quantity}, ${unit}, ${url}, ${price?.amount ?? null}, ${price?.currency ?? null}, ${note},
      ${optional}, ${nextPosition(sql, "make_parts", makeId)})
    returning id`);
  return id;
}

/** Changes a line, and gives whether anything is different now. */
export async function updatePart(sql: Sql, id: string, change: UpdatePart): Promise<boolean> {
  const { name, quantity, price, optional } = change;
  const text = (field: "unit" | "url" | "note") =>
    change[field] === undefined ? sql(field) : sql`${change[field]}::text`;
  const wished = sql`row(
    ${name === undefined ? sql`name` : sql`${name}::text`}, ${quantity === undefined ? sql`quantity` : sql`${quantity}::float8`},
    ${text("unit")}, ${text("url")}, ${text("note")},
    ${price === undefined ? sql`price` : sql`${price?.amount ?? null}::text`},
    ${price === undefined ? sql`currency` : sql`${price?.currency ?? null}::text`},
    ${optional === undefined ? sql`optional` : sql`${optional}::boolean`})`;
  const { count } = await sql`
    update make_parts set (name, quantity, unit, url, note, price, currency, optional) = ${wished}
    where id = ${id} and row(name, quantity, unit, url, note, price, currency, optional) is distinct from ${wished}`;
  return count > 0;
}
