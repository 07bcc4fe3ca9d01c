import type { Fragment, Sql } from "../../database/sql.ts";
import type { Listed } from "../../kernel/lists/page.ts";
import { fits, newest, terms, type Wanted } from "./list.sql.ts";
import { searchQuery, term } from "./search.sql.ts";
import { promptSummary } from "./summary.sql.ts";
import { promptById } from "./target.ts";
import { isListed } from "./visibility.sql.ts";

/** How many matches are ranked, and how many are read to find these; decision 0022 has the measurements. */
const mostRanked = 1_000;
const mostRead = 10_000;
/** What `star_tier` gives at most. */
const highestTier = 9;

/**
 * The best matches of `q` among the prompts that fit a query, with their `score` and `prompts` columns. Of more matches than can be
 * ranked it takes those with many stars or, for a list by time, the newest. It reads the index of words tier by tier, together
 * with the terms of the filters, until it has enough. The index does not know in which order words stand, and cannot exclude:
 * the documents that it finds are searched for that.
 */
export function rankedPrompts(
  sql: Sql,
  wanted: Pick<Wanted, "query" | "caller">,
  by: "stars" | "newest" = "stars",
): Fragment {
  const { q = "" } = wanted.query;
  const isByTime = by === "newest";
  return sql`
    with sought as materialized (
      select q, regexp_replace(querytree(q), '<(-|\\d+)>', '&', 'g')::tsquery as words
      from (select ${searchQuery(sql, q)} as q) given where numnode(q) > 0
    ), match as materialized (
      select p.*, d.document from (
        select d.id, d.document from sought cross join ${isByTime ? months(sql) : tiers(sql)} t (tier) cross join lateral (
          select id, document from search_documents
          where document @@ (concat_ws(' & ', tier, ${terms(sql, wanted)})::tsquery && words)
          offset 0
        ) d limit ${mostRead}
      ) d cross join lateral ${promptById(sql, sql`d.id`)} p
      where ${fits(sql, wanted)} and ((select q = words from sought) or d.document @@ (select q from sought))
      ${isByTime ? sql`order by ${newest(sql)} desc, p.id desc` : sql``}
      limit ${mostRanked}
    )
    -- A fork has most words of its source: it comes before that when it is the one that people star.
    select p.*, (1 + 0.1 * ln(1 + p.hourly_stars::float8)) * (case when p.forked_from_id is null then 1 else 0.8 end)
      * ts_rank(p.document, (select q from sought)) as score
    from match p`;
}

/** The tiers of stars, the highest first. */
const tiers = (sql: Sql): Fragment =>
  sql`unnest(${Array.from({ length: highestTier + 1 }, (_, nth) => term("stars", highestTier - nth))}::text[])`;

/**
 * The months since the first prompt, the newest first: one, the two before it, the four before these. To look for a frequent word in
 * one month costs as much as in many.
 */
const months = (sql: Sql): Fragment => sql`(
  select '(' || string_agg('''month:' || to_char(month, 'YYYYMM') || '''', ' | ') || ')' from generate_series(
    date_trunc('month', clock() at time zone 'UTC'),
    (select date_trunc('month', ${newest(sql)} at time zone 'UTC') from prompts p where ${isListed(sql)}
      order by ${newest(sql)} limit 1),
    interval '-1 month'
  ) with ordinality as past (month, nth) group by floor(log(2, nth::numeric)) order by min(nth))`;

/** A page of the best matches, which end with those that are ranked. */
export async function selectRelevant(sql: Sql, wanted: Wanted): Promise<Listed[]> {
  const { query: _, page, ...viewing } = wanted;
  const [score, id] = page.after ?? [];
  return await sql<Listed[]>`
    with ranked as (${rankedPrompts(sql, wanted)}), shown as (
      select id, score from ranked
      where ${page.after === null ? sql`true` : sql`(score, id) < (${String(score)}::text::float8, ${String(id)})`}
      order by score desc, id desc limit ${page.take}
    )
    select ${promptSummary(sql, viewing)}::text as item, json_build_array(shown.score, p.id) as key
    from shown join prompts p on p.id = shown.id join users o on o.id = p.owner_id
    order by shown.score desc, p.id desc`;
}
