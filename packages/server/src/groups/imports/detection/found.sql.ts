import { one } from "../../../database/rows.ts";
import type { ImportSource } from "@promptreg/core";
import type { Sql } from "../../../database/sql.ts";
import type { ServerContext } from "../../../kernel/server-context.ts";
import { type Held, lockHeld } from "../work.sql.ts";
import type { FoundItem } from "./items.ts";

/** What the database does not take in JSON, in texts of others. */
const storable = (_: string, value: unknown) =>
  typeof value === "string" ? value.toWellFormed().replaceAll("\0", "\uFFFD") : value;

/**
 * Writes items of a held import, which come after `position`, or none if it is not held any more: whoever renews its lease hears of that. Their ids are named here: the
 * default of the table is that of earlier releases, which take no other prefix and may run beside this one.
 */
export async function insertItems(
  sql: ServerContext["sql"],
  held: Held,
  { items, position }: { items: readonly FoundItem[]; position: number },
): Promise<void> {
  const rows = items.map(({ content: _, ...item }, nth) => ({ ...item, position: position + nth + 1 }));
  await sql.begin(async (tx) => {
    if (!(await lockHeld(tx, held))) return;
    await tx`
      with written as (
        insert into import_items (id, import_id, position, detector, kind, title, slug, summary, tags, license, source_path, part,
          files, preview, variables, confidence, selected, warnings, text_hash, near)
        select new_id('iim'), ${held.id}, position, detector, kind, title, slug, summary, tags, license, "sourcePath", part,
          files, preview, variables, confidence, selected, warnings, decode("textHash", 'hex'), near
        from jsonb_to_recordset(${JSON.stringify(rows, storable)}::text::jsonb) as item (
          position int, detector text, kind text, title text, slug text, summary text, tags text[], license text,
          "sourcePath" text, part text, files jsonb, preview text, variables jsonb, confidence double precision,
          selected boolean, warnings text[], "textHash" text, near jsonb)
        returning id, position
      )
      insert into import_contents (item_id, files)
      select id, content::jsonb
      from written
        join unnest(${rows.map((row) => row.position)}::int[], ${items.map(({ content }) => content)}::text[])
          as given (position, content) using (position)`;
    await tx`update imports set detected = ${position + rows.length}, revision = revision + 1 where id = ${held.id}`;
  });
}

/** Deletes the items of a work that broke off. */
export const deleteItems = (sql: Sql, importId: string) => sql`
  delete from import_items where import_id = ${importId}`;

/** Lets the owner of a locked import choose, for 7 days, and gives how much was found. */
export async function makeReady(
  sql: Sql,
  importId: string,
  { warnings, found }: { warnings: readonly string[]; found: Partial<ImportSource> },
): Promise<number> {
  const { detected } = await one(sql<{ detected: number }[]>`
    with chunks as (delete from import_chunks where import_id = ${importId}),
      counted as (
        select count(*)::int as detected, count(*) filter (where selected)::int as selected
        from import_items where import_id = ${importId}
      )
    update imports set status = 'ready', detected = counted.detected, selected = counted.selected,
      source = source || ${sql.json({ ...found })}::jsonb, warnings = ${[...warnings]}, ready_at = clock(),
      expires_at = clock() + interval '7 days', revision = revision + 1, lease_token = null, leased_until = null, attempts = 0
    from counted where id = ${importId}
    returning imports.detected`);
  return detected;
}
