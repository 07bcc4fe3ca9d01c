import type { ListPrompts, PromptSort } from "@promptreg/core";
import type { Fragment, Sql } from "../../database/sql.ts";
import { type ByCount, firstByCount } from "../../kernel/lists/by-count.sql.ts";
import type { Listed, Page } from "../../kernel/lists/page.ts";
import { searchQuery, term } from "./search.sql.ts";
import { promptSummary, type Viewing } from "./summary.sql.ts";
import { accountsNamed, promptsAt } from "./target.ts";
import { isListed, isVisibleTo, isVisibleToAll } from "./visibility.sql.ts";
import { isOwn } from "../../kernel/accounts/ownership.ts";
import { isCovered } from "../../kernel/accounts/restriction.ts";

/** The requested prompts, and who requests them. */
export interface Wanted extends Viewing {
  query: ListPrompts;
  page: Page;
}

/** When everybody could find `prompts p` first. */
export const newest = (sql: Sql): Fragment => sql`coalesce(p.published_at, p.created_at)`;

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
  query.owner === "me"
    ? sql`${isOwn(sql, caller?.id ?? null)} and p.deleted_at is null and ${isCovered(sql, caller)}`
    : isListed(sql);

/** The filters of a query as a condition on `prompts p`, without `q` and `kind`. */
function filters(sql: Sql, { query, caller }: Pick<Wanted, "query" | "caller">): Fragment {
  const { owner, slugPrefix, tag, license, visibility, status, rating, hasEvals, forkOf, updatedSince } =
    query;
  const isMine = owner === "me";
  const conditions = [
    rating !== undefined ? sql`p.rating = ${rating}` : isMine ? sql`true` : isDecent(sql, caller),
    owner === undefined || isMine
      ? []
      : sql`p.owner_id = (select id from ${accountsNamed(sql, owner)} a limit 1)`,
    slugPrefix === undefined ? [] : sql`starts_with(p.slug, ${slugPrefix})`,
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
export const isDecent = (sql: Sql, caller: Viewing["caller"]): Fragment =>
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
    where ${isVisibleTo(sql, caller)} and (${isCovered(sql, caller)} or ${isVisibleToAll(sql)}) limit 1)`;
}

/** Which prompts a query wants, without `q`. */
export const fits = (sql: Sql, wanted: Pick<Wanted, "query" | "caller">): Fragment =>
  sql`${inScope(sql, wanted)} and ${filters(sql, wanted)} and ${isOfKind(sql, wanted.query.kind)}`;

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
  const inOrder = { order, isBeyond, take: page.take, few: 1_500 };
  const unordered =
    query.q ?? query.tag ?? query.slugPrefix ?? (sort === "updated" ? undefined : query.updatedSince);
  const found =
    unordered !== undefined
      ? selectByCount(sql, wanted, inOrder)
      : query.kind !== undefined && sort === "trending"
        ? selectByKind(sql, wanted, inOrder)
        : sql`
            select p.* from prompts p
            where ${fits(sql, wanted)} and ${isBeyond}
            ${order} limit ${page.take}`;
  return await sql<Listed[]>`
    select ${promptSummary(sql, viewing)}::text as item, json_build_array(${by}, p.id) as key
    from (${found}) p join users o on o.id = p.owner_id ${order}`;
}

/** The index has the order of trending for each kind: it reads a whole page of each kind. */
const selectByKind = (
  sql: Sql,
  wanted: Wanted,
  { order, isBeyond, take }: Required<Pick<ByCount, "order" | "isBeyond" | "take">>,
): Fragment => sql`
  select p.* from unnest(${[...new Set(wanted.query.kind)]}::text[]) as wanted (kind) cross join lateral (
    select p.* from prompts p
    where ${inScope(sql, wanted)} and ${filters(sql, wanted)} and p.kind = wanted.kind and ${isBeyond}
    ${order} limit ${take}
  ) p
  ${order} limit ${take}`;

/** The first prompts in an order, with filters that its index does not have. */
export const selectByCount = (
  sql: Sql,
  wanted: Pick<Wanted, "query" | "caller">,
  inOrder: Pick<ByCount, "order" | "isBeyond" | "take" | "few">,
): Fragment => {
  const { q, kind, updatedSince } = wanted.query;
  const fits = sql`
    ${filters(sql, wanted)} and ${isOfKind(sql, kind)} and ${q === undefined ? sql`true` : isAbout(sql, q, wanted)}`;
  return firstByCount(sql, {
    ...inOrder,
    from: sql`prompts`,
    alias: sql`p`,
    listed: inScope(sql, wanted),
    fits,
    found: updatedSince === undefined ? fits : sql`${fits} order by p.updated_at desc`,
  });
};

/**
 * Whether `prompts p` has the words of a query. The index finds its filters with them: a frequent word with a rare tag is rare.
 */
const isAbout = (sql: Sql, q: string, wanted: Pick<Wanted, "query" | "caller">): Fragment => sql`exists (
  select from search_documents d
  where d.type = 'prompt' and d.id = p.id and d.document @@ ${searchQuery(sql, q)} and ${hasTerms(sql, wanted)})`;

const hasTerms = (sql: Sql, wanted: Pick<Wanted, "query" | "caller">): Fragment =>
  (wanted.query.kind ?? wanted.query.tag ?? wanted.query.license ?? wanted.query.owner) === undefined
    ? sql`true`
    : sql`d.document @@ (select concat_ws(' & ', ${terms(sql, wanted)})::tsquery)`;

/** What a query filters by, as far as documents have terms for it: search queries as text, all of which have to be found. */
export function terms(
  sql: Sql,
  { query: { kind, tag = [], license, owner }, caller }: Pick<Wanted, "query" | "caller">,
): Fragment {
  const given = [
    ...tag.map((one) => term("tag", one)),
    ...(kind === undefined ? [] : [`(${kind.map((one) => term("kind", one)).join(" | ")})`]),
    ...(license === undefined ? [] : [term("license", license)]),
    ...(owner === "me" ? [term("owner", caller?.id ?? "")] : []),
  ].join(" & ");
  const ofOwner =
    owner === undefined || owner === "me"
      ? sql`null`
      : sql`'''owner:' || (select id from ${accountsNamed(sql, owner)} a limit 1) || ''''`;
  return sql`nullif(${given}, ''), ${ofOwner}`;
}
