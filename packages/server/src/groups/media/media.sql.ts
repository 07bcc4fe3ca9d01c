import type { JsonText, MediaDetails } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { columns, piece } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";
import { ownedBy } from "../../kernel/accounts/ownership.ts";
import { mediaFields, type MediaSite } from "../../kernel/media/printed.sql.ts";
import { mediaUses } from "./seen.sql.ts";

interface Looking extends MediaSite {
  viewerId: string | null;
}

const isViewers = ownedBy<Looking>((_, { viewerId }) => viewerId, "m");

const mediaColumns = columns<MediaDetails, Looking>({
  ...mediaFields<Looking>(`uses."isForAll"`),
  inUse: `uses."isShown"`,
  filename: "m.filename",
  rejectReason: "m.reject_reason",
  sent: piece<Looking>`case when ${isViewers} then json_build_object('size', m.sent_size, 'sha256', m.sent_sha256) end`,
});

/** Media as somebody sees them. */
export async function selectMedia(
  sql: Sql,
  { id, ...looking }: { id: string } & Looking,
): Promise<JsonText<MediaDetails>> {
  const [row] = await sql<{ media: JsonText<MediaDetails> }[]>`
    select row_to_json(media)::text as media from (
      select ${mediaColumns(sql, looking)}
      from media m cross join lateral ${mediaUses(sql)} uses where m.id = ${id} and m.deleted_at is null
    ) media`;
  // A read has no lock: they may have been deleted since they were found.
  if (row === undefined) throw apiError("not_found");
  return row.media;
}

export const deleteMedia = (sql: Sql, id: string) => sql`
  update media set deleted_at = clock(), file_key = null, thumbnail_key = null, revision = revision + 1 where id = ${id}`;
