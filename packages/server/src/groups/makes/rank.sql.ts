import { limitTo } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";
import type { Trend } from "../../kernel/group.ts";
import { isOwnMake, makeById } from "./target.ts";

/** What an approved make counts for its prompt, and who made it. */
export const trend: Trend = {
  weight: 4,
  acts: (sql, { promptIds, since }) => sql`
    select wanted.id as prompt_id, k.owner_id as user_id, l.decided_at as at
    from unnest(${[...promptIds]}::text[]) as wanted (id)
      cross join lateral (
        select * from make_links where prompt_id = wanted.id and is_live and status = 'approved' and is_shown and decided_at > ${since} offset 0
      ) l cross join lateral ${makeById(sql, sql`l.make_id`)} k`,
};

/** Makes in one statement: few, so that it keeps its row locks for milliseconds. */
const oneChunk = limitTo(200);

/**
 * Updates the figures that lists of makes are sorted by, once an hour. Trending is `3 · stars + 5 · remixes` of the last fourteen days,
 * once for each person that is neither the maker nor suspended, divided by (hours since publication + 2) to the power of 1.5: as prompts
 * trend.
 */
export async function rankMakes(sql: Sql): Promise<void> {
  for (let after: string | null = ""; after !== null; ) after = await rankSome(sql, after);
}

async function rankSome(sql: Sql, after: string): Promise<string | null> {
  const found = await sql<{ id: string }[]>`
    select id from makes where id > ${after} and status = 'published' and deleted_at is null order by id ${oneChunk(sql)}`;
  const ids = found.map(({ id }) => id);
  await sql`
    with figures as (
      select k.id, s.people as stars, (3 * s.recent + 5 * r.recent)::float8 / (
          greatest(extract(epoch from clock() - k.published_at)::float8, 0) / 3600 + 2) ^ 1.5 as trending
      from (select * from makes where id = any (${ids}) offset 0) k cross join lateral (
        select count(*)::int as people, count(*) filter (where starred_at > clock() - interval '14 days') as recent
        from (select * from make_stars where make_id = k.id offset 0) s
        where (select u.suspended_at is null and not (${isOwnMake(sql, sql`u.id`)}) from users u where u.id = s.user_id)
      ) s cross join lateral (
        select count(distinct o.owner_id) as recent
        from (
          select * from makes where remix_of_id = k.id and status = 'published' and visibility = 'public' and deleted_at is null offset 0
        ) o
        where o.published_at > clock() - interval '14 days'
          and (select u.suspended_at is null and not (${isOwnMake(sql, sql`u.id`)}) from users u where u.id = o.owner_id)
      ) r
    )
    update makes k set trending = f.trending, hourly_stars = f.stars from figures f
    where k.id = f.id and (k.trending, k.hourly_stars) is distinct from (f.trending, f.stars)`;
  return ids.at(-1) ?? null;
}
