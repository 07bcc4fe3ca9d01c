import type { ListPrompts, PromptSort } from "@promptreg/core";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { Listed, Page } from "../../kernel/page.ts";
import { searchQuery } from "./search.sql.ts";
import { promptSummary, type Viewing } from "./summary.sql.ts";
import { accountsNamed, promptsAt } from "./target.ts";
import { isListed, isVisibleTo } from "./visibility.sql.ts";

/** The requested prompts, and who requests them. */
export interface Wanted extends Viewing {
  query: ListPrompts;
  page: Page;
}

const newest = (sql: Sql): Fragment => sql`coalesce(p.published_at, p.created_at)`;

/** The stored orders. Each has its index. */
export const orders = (sql: Sql) => ({
  trending: { by: sql`p.trending`, type: sql`float8`, isAscending: false },
  newest: { by: newest(sql), type: sql`timestamptz`, isAscending: false },
  updated: { by: sql`p.updated_at`, type: sql`timestamptz`, isAscending: false },
  stars: { by: sql`p.hourly_stars`, type: sql`int`, isAscending: false },
  installs: { by: sql`p.hourly_installs`, type: sql`int`, isAscending: false },
  title: { by: sql`lower(p.title)`, type: sql`text`, isAscending: true },
});

/** Which prompts a list has: the caller's own, or those that everybody finds. The indexes contain only the latter. */
const inScope = (sql: Sql, { query, caller }: Pick<Wanted, "query" | "caller">): Fragment =>
  query.owner === "me" ? sql`p.owner_id = ${caller?.id ?? null} and p.deleted_at is null` : isListed(sql);

/** The filters of a query as a condition on `prompts p`, without `q` and `kind`. */
function filters(sql: Sql, { query, caller }: Pick<Wanted, "query" | "caller">): Fragment {
  const { owner, tag, license, visibility, status, rating, hasEvals, forkOf, updatedSince } = query;
  const isMine = owner === "me";
  const conditions = [
    rating !== undefined ? sql`p.rating = ${rating}` : isMine ? sql`true` : isDecent(sql, caller),
    owner === undefined || isMine
      ? []
      : sql`p.owner_id = (select id from ${accountsNamed(sql, owner)} a limit 1)`,
    tag === undefined ? [] : sql`p.tags @> ${tag}`,
    license === undefined ? [] : sql`p.license = ${license}`,
    visibility === undefined ? [] : sql`p.visibility = ${visibility}`,
    status === undefined ? [] : sql`p.status = ${status}`,
    hasEvals === undefined ? [] : sql`p.has_evals = ${hasEvals}`,
    forkOf === undefined ? [] : sql`p.forked_from_id = ${sourceAt(sql, forkOf, caller)}`,
    updatedSince === undefined ? [] : sql`p.updated_at >= ${updatedSince}::timestamptz`,
  ].flat();
  return conditions.reduce((all, condition) => sql`${all} and ${condition}`);
}

/** Not mature, unless the caller's preference is to see everything. */
const isDecent = (sql: Sql, caller: Viewing["caller"]): Fragment =>
  caller === null
    ? sql`p.rating <> 'mature'`
    : sql`(p.rating <> 'mature'
        or (select (preferences ->> 'showMature')::boolean from users where id = ${caller.id}))`;

const isOfKind = (sql: Sql, kinds: string[] | undefined): Fragment =>
  kinds === undefined ? sql`true` : sql`p.kind = any(${kinds})`;

/** The id of the prompt at an address, if the caller can see it. */
function sourceAt(sql: Sql, forkOf: string, caller: Viewing["caller"]): Fragment {
  const [owner = "", slug = ""] = forkOf.split("/");
  return sql`(
    select p.id from ${promptsAt(sql, { owner, slug })} there join prompts p on p.id = there.id
    where ${isVisibleTo(sql, caller?.id ?? null)} limit 1)`;
}

/** A page of a list in a stored order. Only its rows are printed. */
export async function selectPrompts(
  sql: Sql,
  { sort, ...wanted }: Wanted & { sort: Exclude<PromptSort, "relevance"> },
): Promise<Listed[]> {
  const { query, page, ...viewing } = wanted;
  const { by, type, isAscending } = orders(sql)[sort];
  const direction = isAscending ? sql`asc` : sql`desc`;
  const order = sql`order by ${by} ${direction}, p.id ${direction}`;
  const [first, id] = page.after?.map(String) ?? [];
  // Subqueries hide the cursor position from the planner. If many prompts have the same figure, it would expect no rows
  // after the position, and use any index.
  const isBeyond =
    first === undefined || id === undefined
      ? sql`true`
      : sql`(${by}, p.id) ${isAscending ? sql`>` : sql`<`} ((select ${first}::text::${type}), (select ${id}::text))`;
  const inOrder = { order, isBeyond, take: page.take, few: 1_000 };
  const unordered = query.q ?? query.tag ?? (sort === "updated" ? undefined : query.updatedSince);
  const found =
    unordered !== undefined
      ? selectByCount(sql, wanted, inOrder)
      : query.kind !== undefined && sort === "trending"
        ? selectByKind(sql, wanted, inOrder)
        : sql`
            select p.* from prompts p
            where ${inScope(sql, wanted)} and ${filters(sql, wanted)} and ${isOfKind(sql, query.kind)} and ${isBeyond}
            ${order} limit ${page.take}`;
  return await sql<Listed[]>`
    select ${promptSummary(sql, viewing)}::text as item, json_build_array(${by}, p.id) as key
    from (${found}) p join users o on o.id = p.owner_id ${order}`;
}

/** The order of a list, where its page begins, and how long that is. */
interface InOrder {
  order: Fragment;
  isBeyond: Fragment;
  take: number;
  /** Up to this many matches are sorted. */
  few: number;
}

/** The index has the order of trending for each kind: it reads a whole page of each kind. */
const selectByKind = (sql: Sql, wanted: Wanted, { order, isBeyond, take }: InOrder): Fragment => sql`
  select p.* from unnest(${[...new Set(wanted.query.kind)]}::text[]) as wanted (kind) cross join lateral (
    select p.* from prompts p
    where ${inScope(sql, wanted)} and ${filters(sql, wanted)} and p.kind = wanted.kind and ${isBeyond}
    ${order} limit ${take}
  ) p
  ${order} limit ${take}`;

/**
 * The indexes of words, tags and times do not have the order of a list. Few matches are found by them and then sorted. Many
 * matches are read from the index of the order, which soon gives enough. The statement counts the matches itself: the planner
 * of a prepared statement cannot know. For many matches, a subquery hides the filters from the planner.
 */
function selectByCount(sql: Sql, wanted: Wanted, { order, isBeyond, take, few }: InOrder): Fragment {
  const { q, kind, updatedSince } = wanted.query;
  const fits = sql`
    ${filters(sql, wanted)} and ${isOfKind(sql, kind)} and ${q === undefined ? sql`true` : isAbout(sql, q)}`;
  return sql`
    with fit as materialized (
      select p.* from prompts p where ${inScope(sql, wanted)} and ${fits}
      ${updatedSince === undefined ? sql`` : sql`order by p.updated_at desc`} limit ${few + 1}
    )
    (select p.* from fit p where (select count(*) from fit) <= ${few} and ${isBeyond} ${order} limit ${take})
    union all (
      select p.* from prompts p
      where (select count(*) from fit) > ${few} and ${inScope(sql, wanted)} and ${isBeyond} and (select ${fits})
      ${order} limit ${take}
    )`;
}

const isAbout = (sql: Sql, q: string): Fragment => sql`exists (
  select from search_documents d where d.type = 'prompt' and d.id = p.id and d.document @@ ${searchQuery(sql, q)})`;

/** How many matches are ranked, and how many of these a list shows on all its pages. */
const mostRanked = 10_000;
const mostListed = 1_000;

/** A page of the best matches. Its keys have the rank, because the list ends after `mostListed`. */
export async function selectRelevant(sql: Sql, wanted: Wanted): Promise<Listed[]> {
  const { query, page, ...viewing } = wanted;
  const { q = "" } = query;
  const order = sql`order by ${newest(sql)} desc, p.id desc`;
  const [score, id, rank] = page.after ?? [];
  const before = Number(rank ?? 0);
  return await sql<Listed[]>`
    with candidate as (
      ${selectByCount(sql, wanted, { order, isBeyond: sql`true`, take: mostRanked, few: 4 * mostRanked })}
    ), ranked as (
      select c.id, (1 + 0.1 * ln(1 + c.hourly_stars::float8)) * (
          -- A subquery for each: the planner expects many candidates, and a join would read all documents.
          select ts_rank(d.document, ${searchQuery(sql, q)}) from search_documents d
          where d.type = 'prompt' and d.id = c.id
        ) as score
      from candidate c
    ), shown as (
      select id, score, ${before}::int + row_number() over (order by score desc, id desc) as rank from ranked
      where ${before === 0 ? sql`true` : sql`(score, id) < (${String(score)}::text::float8, ${String(id)})`}
      order by score desc, id desc limit ${Math.min(page.take, mostListed - before)}
    )
    select ${promptSummary(sql, viewing)}::text as item, json_build_array(shown.score, p.id, shown.rank) as key
    from shown join prompts p on p.id = shown.id join users o on o.id = p.owner_id
    order by shown.rank`;
}
