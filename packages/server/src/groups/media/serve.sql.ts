import type { MediaKind } from "@promptreg/core";
import type { Sql } from "../../database/sql.ts";
import { mediaUses } from "./seen.sql.ts";

/** A part of media as it is served. */
export interface Served {
  kind: MediaKind;
  mediaType: string;
  filename: string | null;
  key: string;
  size: number;
  sha256: string;
  secret: Buffer;
  isForAll: boolean;
  nowSeconds: number;
}

/** Media that are ready, or their thumbnail; null if there are none. */
export async function selectServed(
  sql: Sql,
  { id, isThumbnail, isForMembers }: { id: string; isThumbnail: boolean; isForMembers: boolean },
): Promise<Served | null> {
  const [row] = await sql<Served[]>`
    select m.kind, case when ${isThumbnail} then 'image/webp' else m.media_type end as "mediaType", m.filename, f.key,
      f.size::float8 as size, m.sha256, m.link_secret as secret,
      case when ${isForMembers} then ${isThumbnail} and exists (
        -- Wherever an account is named, its picture is too: an address that ended would be another response each hour.
        select from users u where u.id = m.owner_id and u.avatar_media_id = m.id
      ) else uses."isForAll" end as "isForAll",
      extract(epoch from clock())::float8 as "nowSeconds"
    from media m join stored_files f on f.key = case when ${isThumbnail} then m.thumbnail_key else m.file_key end
      cross join lateral ${mediaUses(sql)} uses
    where m.id = ${id} and m.status = 'ready' and m.deleted_at is null`;
  return row ?? null;
}
