import type { Fragment, Sql } from "../../database/sql.ts";
import { shownByCollection } from "../collections/index.ts";
import { shownByExample } from "../examples/index.ts";
import { shownByMake } from "../makes/index.ts";
import { shownByPost } from "../posts/index.ts";
import { shownByAccount } from "../users/index.ts";

// Who sees media by what shows them. One more kind of thing that shows media is one more line here.

/** What shows `media m` and was not deleted, as a table: whether everybody sees it, and whose it is. */
const things = (sql: Sql): Fragment => sql`(
  select shown.* from (select subject_id from media_uses where media_id = m.id offset 0) u
    cross join lateral (
      ${shownByCollection(sql, sql`u.subject_id`)}
      union all ${shownByExample(sql, sql`u.subject_id`)}
      union all ${shownByMake(sql, sql`u.subject_id`)}
      union all ${shownByPost(sql, sql`u.subject_id`)}
      union all ${shownByAccount(sql, sql`u.subject_id`)}
    ) shown
)`;

/** Whether anything shows `media m`, whether everybody sees that, and the owners of what is private, as a table of one row. */
export const mediaUses = (sql: Sql): Fragment => sql`(
  select count(*) > 0 as "isShown", coalesce(bool_or(thing."isForAll"), false) as "isForAll",
    coalesce(array_agg(distinct thing.owner_id) filter (where not thing."isForAll"), '{}') as "shownBy"
  from ${things(sql)} thing
)`;

/** Whether something shows media that are locked. */
export async function isShown(sql: Sql, mediaId: string): Promise<boolean> {
  const [row] = await sql<{ isShown: boolean }[]>`
    select uses."isShown" from media m cross join lateral ${mediaUses(sql)} uses where m.id = ${mediaId}`;
  return row?.isShown ?? false;
}
