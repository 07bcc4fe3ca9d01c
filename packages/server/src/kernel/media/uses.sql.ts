import { limits, type MediaKind } from "@promptreg/core";
import { apiError, invalid } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import { ownedBy } from "../accounts/ownership.ts";

const ofAccount = ownedBy<{ account: string }>((_, { account }) => account, "m");

interface Found {
  id: string;
  kind: MediaKind;
  isReady: boolean;
  uses: number;
}

/**
 * Shows media with a thing, in place of those that it showed, in the transaction that writes the thing. They stay as they are until it
 * commits. Those of others are as missing.
 * @throws {ApiError} `not_found`, `media_not_ready`, `validation_failed` or `quota_exceeded`.
 */
export async function showMedia(
  sql: Sql,
  {
    subjectId,
    ids,
    ownerId,
    kinds,
    field,
  }: {
    /** The id of what shows them. */
    subjectId: string;
    ids: readonly string[];
    ownerId: string;
    kinds: readonly MediaKind[];
    /** The JSON Pointer of the field that named them. */
    field: string;
  },
): Promise<void> {
  const found = await sql<Found[]>`
    select m.id, m.kind, m.status = 'ready' as "isReady",
      (select count(*)::int from media_uses u where u.media_id = m.id and u.subject_id <> ${subjectId}) as uses
    from media m where m.id = any (${[...ids]}) and ${ofAccount(sql, { account: ownerId })} and m.deleted_at is null
    order by m.id for no key update of m`;
  for (const id of ids) {
    const media = found.find((one) => one.id === id);
    if (media === undefined) throw apiError("not_found", { message: `You have no media ${id}.` });
    if (!media.isReady) throw apiError("media_not_ready");
    if (!kinds.includes(media.kind)) throw invalid(field, `${id} must be of the kind ${kinds.join(" or ")}.`);
    if (media.uses >= limits.usesOfMedia) {
      throw apiError("quota_exceeded", {
        message: `${limits.usesOfMedia} things can show the same media. Upload them again.`,
      });
    }
  }
  await sql`delete from media_uses where subject_id = ${subjectId} and media_id <> all (${[...ids]})`;
  await insertUses(sql, { subjectId, ids });
}

/** Shows media that this transaction made, before a worker has read them. */
export const showNewMedia = (sql: Sql, use: { subjectId: string; mediaId: string }) =>
  insertUses(sql, { subjectId: use.subjectId, ids: [use.mediaId] });

const insertUses = (sql: Sql, { subjectId, ids }: { subjectId: string; ids: readonly string[] }) => sql`
  insert into media_uses (media_id, subject_id) select unnest(${[...ids]}::text[]), ${subjectId} on conflict do nothing`;

/** Takes all media out of a thing that ends. */
export const hideMedia = (sql: Sql, subjectId: string) =>
  sql`delete from media_uses where subject_id = ${subjectId}`;
