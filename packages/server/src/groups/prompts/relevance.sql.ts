import type { Fragment, Sql } from "../../database/sql.ts";
import type { Listed } from "../../kernel/page.ts";
import { newest, selectByCount, type Wanted } from "./list.sql.ts";
import { searchQuery } from "./search.sql.ts";
import { promptSummary } from "./summary.sql.ts";

/** How many matches are ranked, and up to how many matches these are chosen from; decision 0022 has the measurements. */
const mostRanked = 1_000;
const few = 4_000;
/** How many matches a search shows on all its pages. */
export const mostListed = 1_000;

/**
 * The best matches of `q` among the prompts that fit a query, with their `score` and `prompts` columns. Of more matches than can be
 * ranked it takes the most starred ones or, for a list by time, the newest.
 */
export function rankedPrompts(
  sql: Sql,
  wanted: Pick<Wanted, "query" | "caller">,
  by: "stars" | "newest" = "stars",
): Fragment {
  const { q = "" } = wanted.query;
  const first = by === "newest" ? newest(sql) : sql`p.hourly_stars`;
  const order = sql`order by ${first} desc, p.id desc`;
  return sql`
    select c.*, (1 + 0.1 * ln(1 + c.hourly_stars::float8)) * (
        -- A fork has most words of its source: it comes before that when it is the one that people star.
        case when c.forked_from_id is null then 1 else 0.8 end
      ) * (
        -- A subquery for each: the planner expects many candidates, and a join would read all documents.
        select ts_rank(d.document, ${searchQuery(sql, q)}) from search_documents d
        where d.type = 'prompt' and d.id = c.id
      ) as score
    from (${selectByCount(sql, wanted, { order, take: mostRanked, few })}) c`;
}

/** A page of the best matches. Its keys have the rank, because the list ends after `mostListed`. */
export async function selectRelevant(sql: Sql, wanted: Wanted): Promise<Listed[]> {
  const { query: _, page, ...viewing } = wanted;
  const [score, id, rank] = page.after ?? [];
  const before = Number(rank ?? 0);
  return await sql<Listed[]>`
    with ranked as (${rankedPrompts(sql, wanted)}), shown as (
      select id, score, ${before}::int + row_number() over (order by score desc, id desc) as rank from ranked
      where ${before === 0 ? sql`true` : sql`(score, id) < (${String(score)}::text::float8, ${String(id)})`}
      order by score desc, id desc limit ${Math.min(page.take, mostListed - before)}
    )
    select ${promptSummary(sql, viewing)}::text as item, json_build_array(shown.score, p.id, shown.rank) as key
    from shown join prompts p on p.id = shown.id join users o on o.id = p.owner_id
    order by shown.rank`;
}
