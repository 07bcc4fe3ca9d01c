import type { UpdateMakeFile } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import { nextPosition } from "./things.sql.ts";

/** Writes a file after the others of its make, and gives its id. Without a label it has its name. */
export async function insertFile(
  sql: Sql,
  {
    makeId,
    mediaId,
    label,
    description,
  }: { makeId: string; mediaId: string; label: string | null; description: string | null },
): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    insert into make_files (make_id, media_id, label, description, position)
    select ${makeId}, m.id, coalesce(${label}, left(m.filename, 120), 'File'), ${description}, ${nextPosition(sql, "make_files", makeId)}
    from media m where m.id = ${mediaId} returning id`;
  if (row === undefined) throw apiError("not_found", { message: `You have no media ${mediaId}.` });
  return row.id;
}

/** Changes a file, and gives whether anything is different now. */
export async function updateFile(
  sql: Sql,
  { id, label, description, mediaId }: UpdateMakeFile & { id: string },
): Promise<boolean> {
  const wished = sql`row(${label === undefined ? sql`label` : sql`${label}::text`},
    ${description === undefined ? sql`description` : sql`${description}::text`},
    ${mediaId === undefined ? sql`media_id` : sql`${mediaId}::text`})`;
  const { count } = await sql`
    update make_files set (label, description, media_id) = ${wished}
    where id = ${id} and row(label, description, media_id) is distinct from ${wished}`;
  return count > 0;
}

/** What the address of a file is made of. */
export interface Download {
  mediaId: string;
  isReady: boolean;
  secret: Buffer;
  nowSeconds: number;
}

/** A file of a make to download; null if there is none. */
export async function selectDownload(
  sql: Sql,
  { makeId, id }: { makeId: string; id: string },
): Promise<Download | null> {
  const [row] = await sql<Download[]>`
    select m.id as "mediaId", m.status = 'ready' as "isReady", m.link_secret as secret,
      extract(epoch from clock())::float8 as "nowSeconds"
    from make_files f join media m on m.id = f.media_id where f.id = ${id} and f.make_id = ${makeId}`;
  return row ?? null;
}
