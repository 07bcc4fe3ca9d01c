import type { Embed, UpdateGalleryItem } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import { nextPosition } from "./things.sql.ts";

/** A gallery item to write: media, or an embed. */
export interface NewItem {
  makeId: string;
  mediaId: string | null;
  embed: Embed | null;
  caption: string | null;
  alt: string | null;
}

/** Writes an item after the others of its make, and gives its id. Without a description it has that of its media. */
export async function insertItem(
  sql: Sql,
  { makeId, mediaId, embed, caption, alt }: NewItem,
): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    insert into gallery_items (make_id, media_id, embed, caption, alt, position)
    select ${makeId}, m.id, ${embed && JSON.stringify(embed)}::text::jsonb, ${caption}, coalesce(${alt}, m.alt),
      ${nextPosition(sql, "gallery_items", makeId)}
    from (select 1) one left join media m on m.id = ${mediaId}
    where m.id is not null or ${mediaId}::text is null
    returning id`;
  if (row === undefined) throw apiError("not_found", { message: `You have no media ${mediaId}.` });
  return row.id;
}

/** Changes what an item says, and gives whether anything is different now. */
export async function updateItem(
  sql: Sql,
  { id, caption, alt }: Pick<UpdateGalleryItem, "caption" | "alt"> & { id: string },
): Promise<boolean> {
  const wished = sql`row(${caption === undefined ? sql`caption` : sql`${caption}::text`},
    ${alt === undefined ? sql`alt` : sql`${alt}::text`})`;
  const { count } = await sql`
    update gallery_items set (caption, alt) = ${wished} where id = ${id} and row(caption, alt) is distinct from ${wished}`;
  return count > 0;
}

/** Makes an item the cover of its make; null if nothing is left. */
export const setCover = (sql: Sql, { makeId, itemId }: { makeId: string; itemId: string | null }) => sql`
  update makes set cover_item_id = ${itemId} where id = ${makeId}`;
