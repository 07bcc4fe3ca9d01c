import type { Sql } from "../../database/sql.ts";
import { ownedBy } from "../../kernel/accounts/ownership.ts";
import { showMedia } from "../../kernel/media/uses.sql.ts";
import type { PostRow } from "./target.ts";

const ofAccount = ownedBy<{ account: string }>((_, { account }) => account, "m");

/** The pictures of its author's that the public text of a post names, if they are ready. */
async function selectPictures(sql: Sql, { id, ownerId }: Pick<PostRow, "id" | "ownerId">): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select m.id
    from posts b join post_revisions r on r.id = b.public_id
      cross join lateral (
        select distinct match.ids[1] as id from regexp_matches(r.body, 'media:(med_[0-9a-z]{26})', 'g') match (ids)
      ) named cross join lateral (select * from media where id = named.id offset 0) m
    where b.id = ${id} and ${ofAccount(sql, { account: ownerId })} and m.kind = 'image' and m.status = 'ready' and m.deleted_at is null`;
  return rows.map(({ id }) => id);
}

/** Shows the cover of a post and the pictures of its public text. */
export async function showPictures(
  sql: Sql,
  { id, ownerId, coverMediaId }: Pick<PostRow, "id" | "ownerId" | "coverMediaId">,
): Promise<void> {
  const ids = [
    ...(coverMediaId === null ? [] : [coverMediaId]),
    ...(await selectPictures(sql, { id, ownerId })),
  ];
  await showMedia(sql, {
    subjectId: id,
    ids: [...new Set(ids)],
    ownerId,
    kinds: ["image"],
    field: "/coverMediaId",
  });
}
