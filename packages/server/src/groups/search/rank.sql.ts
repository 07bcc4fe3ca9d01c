import type { Facets } from "@promptreg/core";
import { wordsOfQuery } from "@promptreg/core/search";
import { limitTo } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { isCollectionListed } from "../collections/index.ts";
import { isMakeListed } from "../makes/index.ts";
import { isPostListed } from "../posts/index.ts";
import { accountsNamed, newest, rankedPrompts, searchQuery, wanting } from "../prompts/index.ts";
import type { Hit, Matches, SearchEngine, Wanted } from "./engine.ts";

/** How many matches a search shows on all its pages. */
const mostListed = 1_000;
/** Values of a facet. */
const mostValues = 20;

/** Finds and ranks in PostgreSQL. Facets count the ranked matches of all pages. */
export const rankMatches: SearchEngine = async (sql, wanted) => {
  const { after, take } = wanted;
  const before = after?.rank ?? 0;
  const [row] = await sql<{ hits: Hit[]; facets: Facets }[]>`
    with prompt as materialized (${promptMatches(sql, wanted)}), person as materialized (${userMatches(sql, wanted)}),
    collection as materialized (${collectionMatches(sql, wanted)}), make as materialized (${makeMatches(sql, wanted)}),
    post as materialized (${postMatches(sql, wanted)}), hit as (
      select 'prompt' as type, id, score, by from prompt union all select 'user', id, score, by from person
      union all select 'collection', id, score, by from collection union all select 'make', id, score, by from make
      union all select 'post', id, score, by from post
    ), shown as (
      select *, ${before}::int + row_number() over (order by by desc, id desc) as rank from hit
      where ${after === null ? sql`true` : sql`(by, id) < (${String(after.by)}::text::float8, ${after.id})`}
      order by by desc, id desc limit ${Math.min(take, mostListed - before)}
    )
    select coalesce((select json_agg(s order by rank) from shown s), '[]') as hits, json_build_object(
      'type', ${facet(sql, sql`select type as value from hit`)},
      'kind', ${facet(sql, sql`select kind as value from prompt`)},
      'tag', ${facet(sql, sql`select unnest(tags) as value from (select tags from prompt union all select tags from make union all select tags from post) tagged`)},
      'license', ${facet(sql, sql`select license as value from (select license from prompt union all select license from make) licensed where license is not null`)}
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

type Other = "collection" | "make" | "post" | "user";
type Filter = "tag" | "owner" | "license";

/** By what each can be filtered. Only prompts have a kind. */
const filtersOf: Record<Other, readonly Filter[]> = {
  collection: ["owner"],
  make: ["tag", "owner", "license"],
  post: ["tag", "owner"],
  user: [],
};

/** Whether a query wants such things: of these, and by nothing that they do not have. */
const wantsOther = ({ type, kind, tag, owner, license }: Wanted["query"], one: Other): boolean =>
  (type === undefined || type === one) &&
  kind === undefined &&
  Object.entries({ tag, owner, license }).every(
    ([name, value]) => value === undefined || filtersOf[one].includes(name as Filter),
  );

/** What fits the filters of a query that such things have. */
const fits = (sql: Sql, { tag, owner, license }: Wanted["query"], one: Other): Fragment => {
  const filters: Record<Filter, Fragment | undefined> = {
    tag: tag === undefined ? undefined : sql`and tags @> ${tag}::text[]`,
    owner:
      owner === undefined
        ? undefined
        : sql`and owner_id = (select id from ${accountsNamed(sql, owner)} a limit 1)`,
    license: license === undefined ? undefined : sql`and license = ${license}`,
  };
  return sql`true ${filtersOf[one].map((filter) => filters[filter] ?? sql``)}`;
};

/**
 * How many matches of its words a thing is looked for among, and how many are ranked. The numbers stand in the statement: of an unknown one the
 * planner expects few rows, and reads the table for them.
 */
const [mostLookedAt, mostRanked] = [limitTo(10_000), limitTo(1_000)];

/** A thousand are ranked. A suspended one is not found. */
function userMatches(sql: Sql, { query }: Wanted): Fragment {
  const { q, sort } = query;
  const words = wanting(sql, sql`websearch_to_tsquery('simple', name_words(${wordsOfQuery(q)}))`);
  const by = { newest: sql`u.created_at`, stars: sql`0`, relevance: sql`u.score` }[sort ?? "relevance"];
  return sql`
    select u.id, u.score, ${asNumber(sql, by, sort)} as by from (
      select id, created_at, ts_rank(words, ${words}) as score from users
      where ${wantsOther(query, "user")} and suspended_at is null and words @@ ${words} ${mostRanked(sql)}
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
      from (
        select c.* from collections c
        where ${wantsOther(query, "collection")} and ${isCollectionListed(sql)} and c.document @@ ${words} ${mostLookedAt(sql)}
      ) c where ${fits(sql, query, "collection")} ${mostRanked(sql)}
    ) c`;
}

/** A thousand are ranked: by words, and more starred ones before others. */
function makeMatches(sql: Sql, { query }: Wanted): Fragment {
  const { q, sort } = query;
  const words = searchQuery(sql, q);
  const by = { newest: sql`k.published_at`, stars: sql`k.hourly_stars`, relevance: sql`k.score` }[
    sort ?? "relevance"
  ];
  return sql`
    select k.id, k.score, ${asNumber(sql, by, sort)} as by, k.tags, k.license from (
      select k.*, (1 + 0.1 * ln(1 + k.hourly_stars::float8)) * ts_rank(k.document, ${words}) as score
      from (
        select k.* from makes k
        where ${wantsOther(query, "make")} and ${isMakeListed(sql)} and k.document @@ ${words} ${mostLookedAt(sql)}
      ) k where ${fits(sql, query, "make")} ${mostRanked(sql)}
    ) k`;
}

/** A thousand are ranked: by words, and those with better votes before others. Nobody stars a post. */
function postMatches(sql: Sql, { query }: Wanted): Fragment {
  const { q, sort } = query;
  const words = searchQuery(sql, q);
  const by = { newest: sql`b.published_at`, stars: sql`0`, relevance: sql`b.score` }[sort ?? "relevance"];
  return sql`
    select b.id, b.score, ${asNumber(sql, by, sort)} as by, b.tags from (
      select b.id, b.published_at, b.tags, (1 + 0.1 * b.score) * ts_rank(b.document, ${words}) as score
      from (
        select b.* from (select * from posts where document @@ ${words} offset 0) b
        where ${wantsOther(query, "post")} and ${isPostListed(sql)} ${mostLookedAt(sql)}
      ) b where ${fits(sql, query, "post")} ${mostRanked(sql)}
    ) b`;
}

const asNumber = (sql: Sql, by: Fragment, sort: Wanted["query"]["sort"]): Fragment =>
  sort === "newest" ? sql`extract(epoch from ${by})::float8` : sql`(${by})::float8`;

const defined = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
