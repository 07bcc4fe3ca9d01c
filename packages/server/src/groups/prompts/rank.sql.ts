import { limitTo } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { Trend } from "../../kernel/group.ts";
import { isOwn } from "../../kernel/accounts/ownership.ts";

/** Prompts in one statement: few, so that it keeps its row locks for milliseconds. */
const chunk = 200;
const oneChunk = limitTo(chunk);

/**
 * Updates the figures that lists are sorted by, for all published prompts. It runs once an hour, so that a list does not change
 * while a reader pages through it. Trending is a sum of weights, divided by (hours since publication + 2) to the power of 1.5.
 * It sums what other accounts, not suspended, did in fourteen days, once for each account and kind of act. Stars and installs are
 * the numbers of such accounts since ever: `counts` also has what the owner, suspended accounts and anonymous callers did.
 */
export async function rankPrompts(sql: Sql, trends: readonly Trend[]): Promise<void> {
  for (let after: string | null = ""; after !== null; ) after = await rankSome(sql, trends, after);
}

async function rankSome(sql: Sql, trends: readonly Trend[], after: string): Promise<string | null> {
  const found = await sql<{ id: string }[]>`
    select id from prompts where id > ${after} and status = 'published' and deleted_at is null
    order by id ${oneChunk(sql)}`;
  const promptIds = found.map(({ id }) => id);
  await sql`
    with figures as (
      select p.id, coalesce(t.weight, 0) / (
          greatest(extract(epoch from clock() - p.published_at)::float8, 0) / 3600 + 2) ^ 1.5 as trending,
        coalesce(s.people, 0) as stars, coalesce(i.people, 0) as installs
      from prompts p left join (${weights(sql, trends, promptIds)}) t on t.prompt_id = p.id
        left join (${people(sql, trends, { figure: "stars", promptIds })}) s on s.prompt_id = p.id
        left join (${people(sql, trends, { figure: "installs", promptIds })}) i on i.prompt_id = p.id
      where p.id = any (${promptIds})
    ), changed as (
      update prompts p set trending = f.trending, hourly_stars = f.stars, hourly_installs = f.installs
      from figures f join prompts old on old.id = f.id
      where p.id = f.id
        and (p.trending, p.hourly_stars, p.hourly_installs) is distinct from (f.trending, f.stars, f.installs)
      returning p.id, star_tier(old.hourly_stars) as old_tier, star_tier(p.hourly_stars) as tier
    )
    update search_documents d
    set document = ts_delete(d.document, 'stars:' || c.old_tier) || array_to_tsvector(array['stars:' || c.tier])
    from changed c
    where d.type = 'prompt' and d.id = c.id and c.tier <> c.old_tier`;
  return found.length === chunk ? (promptIds.at(-1) ?? null) : null;
}

/**
 * Whether `a` is an act of an account that is not suspended, on a prompt of somebody else's. A subquery with one value: for a
 * join the planner, which cannot know how few acts there are, would read all accounts and all prompts.
 */
const counts = (sql: Sql): Fragment => sql`(
  select u.suspended_at is null and not (${isOwn(sql, sql`u.id`)}) from users u, prompts p
  where u.id = a.user_id and p.id = a.prompt_id)`;

/** How many people ever did what a figure counts, as `prompt_id, people`. */
function people(
  sql: Sql,
  trends: readonly Trend[],
  { figure, promptIds }: { figure: Trend["hourly"]; promptIds: readonly string[] },
): Fragment {
  const trend = trends.find(({ hourly }) => hourly === figure);
  if (trend === undefined) return sql`select null::text as prompt_id, 0 as people where false`;
  const since = sql`'-infinity'::timestamptz`;
  return sql`
    select a.prompt_id, count(distinct a.user_id)::int as people
    from (${trend.acts(sql, { promptIds, since })}) a where ${counts(sql)}
    group by a.prompt_id`;
}

/** The sum of weights of what people did with prompts, as `prompt_id, weight`. */
const weights = (sql: Sql, trends: readonly Trend[], promptIds: readonly string[]): Fragment => sql`
  select a.prompt_id, sum(a.weight) as weight
  from (${countedActs(sql, trends, { promptIds, since: sql`clock() - interval '14 days'` })}) a
  group by a.prompt_id`;

/**
 * What people did with prompts since a time and counts, as `prompt_id, weight, at`: once for each person and kind of act, at the last time
 * that the person did it.
 */
export function countedActs(
  sql: Sql,
  trends: readonly Trend[],
  wanted: { promptIds: readonly string[]; since: Fragment },
): Fragment {
  const each = trends.map(
    (trend) => sql`
      select a.prompt_id, a.user_id, max(a.at) as at, ${trend.weight}::float8 as weight
      from (${trend.acts(sql, wanted)}) a group by a.prompt_id, a.user_id`,
  );
  const all = each.reduce((some, one) => sql`${some} union all ${one}`);
  return sql`select a.prompt_id, a.weight, a.at from (${all}) a where ${counts(sql)}`;
}
