import type { Facets } from "@promptreg/core";
import { wordsOfQuery } from "@promptreg/core/search";
import type { Fragment, Sql } from "../../database/sql.ts";
import { isCollectionListed } from "../collections/index.ts";
import { mostListed, newest, rankedPrompts, searchQuery, wanting } from "../prompts/index.ts";
import type { Hit, Matches, SearchEngine, Wanted } from "./engine.ts";

/** Values of a facet. */
const mostValues = 20;

/** Finds and ranks in PostgreSQL. Facets count the ranked matches of all pages. */
export const rankMatches: SearchEngine = async (sql, wanted) => {
  const { after, take } = wanted;
  const before = after?.rank ?? 0;
  const [row] = await sql<{ hits: Hit[]; facets: Facets }[]>`
    with prompt as materialized (${promptMatches(sql, wanted)}), person as materialized (${userMatches(sql, wanted)}),
    collection as materialized (${collectionMatches(sql, wanted)}), hit as (
      select 'prompt' as type, id, score, by from prompt union all select 'user', id, score, by from person
      union all select 'collection', id, score, by from collection
    ), shown as (
      select *, ${before}::int + row_number() over (order by by desc, id desc) as rank from hit
      where ${after === null ? sql`true` : sql`(by, id) < (${String(after.by)}::text::float8, ${after.id})`}
      order by by desc, id desc limit ${Math.min(take, mostListed - before)}
    )
    select coalesce((select json_agg(s order by rank) from shown s), '[]') as hits, json_build_object(
      'type', ${facet(sql, sql`select type as value from hit`)},
      'kind', ${facet(sql, sql`select kind as value from prompt`)},
      'tag', ${facet(sql, sql`select unnest(tags) as value from prompt`)},
      'license', ${facet(sql, sql`select license as value from prompt where license is not null`)}
    ) as facets`;
  return row as Matches;
};

const facet = (sql: Sql, values: Fragment): Fragment => sql`(
  select coalesce(json_agg(f order by count desc, value), '[]') from (
    select value, count(*) from (${values}) every group by value order by count desc, value limit ${mostValues}
  ) f)`;

function promptMatches(sql: Sql, { query, caller }: Wanted): Fragment {
  const { q, type, kind, tag, owner, license, sort } = query;
  const wanted = { query: { q, ...defined({ kind, tag, owner, license }) }, caller };
  const by = { newest: newest(sql), stars: sql`p.hourly_stars`, relevance: sql`p.score` }[
    sort ?? "relevance"
  ];
  return sql`
    select p.id, p.score, ${asNumber(sql, by, sort)} as by, p.kind, p.tags, p.license
    from (${rankedPrompts(sql, wanted, sort === "newest" ? "newest" : "stars")}) p
    where ${type === undefined || type === "prompt"}`;
}

/** Whether a query wants accounts, or collections. They have no kind, tag or license, and are not looked for by an owner. */
const wantsOther = (
  { type, kind, tag, owner, license }: Wanted["query"],
  one: "collection" | "user",
): boolean =>
  (type === undefined || type === one) && [kind, tag, owner, license].every((filter) => filter === undefined);

/** A thousand are ranked. A suspended one is not found. */
function userMatches(sql: Sql, { query }: Wanted): Fragment {
  const { q, sort } = query;
  const words = wanting(sql, sql`websearch_to_tsquery('simple', name_words(${wordsOfQuery(q)}))`);
  const by = { newest: sql`u.created_at`, stars: sql`0`, relevance: sql`u.score` }[sort ?? "relevance"];
  // The number stands in the statement: of an unknown one the planner expects few rows, and reads the table for them.
  return sql`
    select u.id, u.score, ${asNumber(sql, by, sort)} as by from (
      select id, created_at, ts_rank(words, ${words}) as score from users
      where ${wantsOther(query, "user")} and suspended_at is null and words @@ ${words} limit 1000
    ) u`;
}

/** A thousand are ranked: by words, and larger ones before smaller ones. */
function collectionMatches(sql: Sql, { query }: Wanted): Fragment {
  const { q, sort } = query;
  const words = searchQuery(sql, q);
  const by = { newest: sql`c.created_at`, stars: sql`0`, relevance: sql`c.score` }[sort ?? "relevance"];
  return sql`
    select c.id, c.score, ${asNumber(sql, by, sort)} as by from (
      select c.id, c.created_at, (1 + 0.1 * ln(1 + c.item_count::float8)) * ts_rank(c.document, ${words}) as score
      from collections c
      where ${wantsOther(query, "collection")} and ${isCollectionListed(sql)} and c.document @@ ${words} limit 1000
    ) c`;
}

const asNumber = (sql: Sql, by: Fragment, sort: Wanted["query"]["sort"]): Fragment =>
  sort === "newest" ? sql`extract(epoch from ${by})::float8` : sql`(${by})::float8`;

const defined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
