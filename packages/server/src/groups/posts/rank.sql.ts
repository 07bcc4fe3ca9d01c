import { limitTo } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";
import { isPostListed } from "./target.ts";

/** Posts in one statement: few, so that it keeps its row locks for milliseconds. */
const chunk = 200;
const oneChunk = limitTo(chunk);

/**
 * Updates the figure that posts are sorted by, once an hour: the lower bound of the share of votes that are up, at 95 %, of those whose
 * accounts are not suspended.
 */
export async function rankPosts(sql: Sql): Promise<void> {
  for (let after: string | null = ""; after !== null; ) after = await rankSome(sql, after);
}

async function rankSome(sql: Sql, after: string): Promise<string | null> {
  const found = await sql<{ id: string }[]>`
    select id from posts b where id > ${after} and ${isPostListed(sql)} order by id ${oneChunk(sql)}`;
  const ids = found.map(({ id }) => id);
  await sql`
    with figures as (
      select wanted.id, wilson_bound(v.up, v.down) as score
      from unnest(${ids}::text[]) wanted (id) cross join lateral (
        select count(*) filter (where value = 1) as up, count(*) filter (where value = -1) as down
        from (select * from votes where target_id = wanted.id offset 0) vote
        where (select u.suspended_at is null from users u where u.id = vote.user_id)
      ) v
    )
    update posts b set score = f.score from figures f where b.id = f.id and b.score is distinct from f.score`;
  return found.length === chunk ? (ids.at(-1) ?? null) : null;
}
