import type { JsonText, PostRevision, WholeRevision } from "@promptreg/core";
import { columns, type Fields, piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { type Site, userRef } from "../../kernel/accounts/accounts.ts";
import type { Listed, Page } from "../../kernel/lists/page.ts";

const fields: Fields<PostRevision, Site> = {
  id: "r.id",
  number: "r.number",
  kind: "r.kind",
  author: userRef("r.author_id"),
  title: "r.title",
  summary: "r.summary",
  words: "r.words",
  createdAt: "iso(r.created_at)",
};
const revision = columns<PostRevision, Site>(fields);
const whole = columns<WholeRevision, Site>({ ...fields, body: "r.body" });
/** Whether moderators are shown `post_revisions r`: not what its author never submitted. */
const isSubmitted = piece`r.kind in ('submit', 'publish')`;

const isShown = (sql: Sql, isAuthor: boolean): Fragment => (isAuthor ? sql`true` : isSubmitted(sql));

/** A page of the revisions of a post, the newest first. */
export const selectRevisions = (
  sql: Sql,
  { postId, isAuthor, page, ...site }: { postId: string; isAuthor: boolean; page: Page } & Site,
) => sql<Listed[]>`
  select (select row_to_json(q)::text from (select ${revision(sql, site)}) q) as item, json_build_array(r.number) as key
  from post_revisions r
  where r.post_id = ${postId} and ${isShown(sql, isAuthor)}
    and ${page.after === null ? sql`true` : sql`r.number < (select ${String(page.after[0])}::text::int)`}
  order by r.number desc limit ${page.take}`;

/** A revision with its body; null if there is none that the viewer is shown. */
export async function selectWhole(
  sql: Sql,
  { postId, id, isAuthor, ...site }: { postId: string; id: string; isAuthor: boolean } & Site,
): Promise<JsonText<WholeRevision> | null> {
  const [row] = await sql<{ json: JsonText<WholeRevision> }[]>`
    select (select row_to_json(q)::text from (select ${whole(sql, site)}) q) as json
    from post_revisions r where r.id = ${id} and r.post_id = ${postId} and ${isShown(sql, isAuthor)}`;
  return row?.json ?? null;
}
