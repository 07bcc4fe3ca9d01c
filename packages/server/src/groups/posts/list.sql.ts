import type { ListPosts } from "@promptreg/core";
import type { Fragment, Sql } from "../../database/sql.ts";
import { firstByCount } from "../../kernel/lists/by-count.sql.ts";
import type { Listed, Page } from "../../kernel/lists/page.ts";
import { accountsNamed, searchQuery } from "../prompts/index.ts";
import { type Looking, postSummary, withText } from "./shown.sql.ts";
import { isOwnPost, isPostListed } from "./target.ts";

/** The requested posts, and who requests them. */
export interface Wanted extends Looking {
  query: ListPosts;
  page: Page;
}

/** The orders. Each has its index of what everybody finds. */
const orders = (sql: Sql) => ({
  newest: { by: sql`b.published_at`, type: sql`timestamptz` },
  votes: { by: sql`b.score`, type: sql`float8` },
  /** When a draft was created, which was not published. */
  own: { by: sql`coalesce(b.published_at, b.created_at)`, type: sql`timestamptz` },
});

const all = (sql: Sql, conditions: readonly Fragment[]): Fragment =>
  conditions.reduce((some, condition) => sql`${some} and ${condition}`, sql`true`);

/** The first posts of one account or series in an order. It is read whole: it has five thousand at most. */
const ofOne = (
  sql: Sql,
  isOfOne: Fragment,
  { fits, isBeyond, order, take }: { fits: Fragment; isBeyond: Fragment; order: Fragment; take: number },
): Fragment => sql`
  select * from (select * from posts b where ${isOfOne} and b.deleted_at is null offset 0) b
  where ${fits} and ${isBeyond} ${order} limit ${take}`;

/** A page of posts. Only its rows are printed. */
export async function selectPosts(sql: Sql, { query, page, ...looking }: Wanted): Promise<Listed[]> {
  const { q, author, mine = false, status, tag, series, slug, sort = "newest" } = query;
  const { by, type } = orders(sql)[mine && sort === "newest" ? "own" : sort];
  const order = sql`order by ${by} desc, b.id desc`;
  const [first, id] = page.after?.map(String) ?? [];
  // Subqueries hide the cursor position from the planner, as in the list of prompts.
  const isBeyond =
    first === undefined || id === undefined
      ? sql`true`
      : sql`(${by}, b.id) < ((select ${first}::text::${type}), (select ${id}::text))`;
  const ofAuthor = (name: string) => sql`b.owner_id = (select id from ${accountsNamed(sql, name)} a limit 1)`;
  const isPartOf = (one: string) =>
    sql`b.series_id = (select id from post_series where id = ${one} and deleted_at is null)`;
  const conditions = [
    mine && author !== undefined ? ofAuthor(author) : [],
    mine && status !== undefined ? sql`b.status = ${status}` : [],
    tag === undefined ? [] : sql`b.tags @> ${tag}`,
    series === undefined || (!mine && author === undefined) ? [] : isPartOf(series),
    slug === undefined ? [] : sql`b.slug = ${slug}`,
    q === undefined ? [] : sql`b.document @@ ${searchQuery(sql, q)}`,
  ].flat();
  const fits = all(sql, conditions);
  const inOrder = { order, isBeyond, take: page.take };
  const found = mine
    ? ofOne(sql, isOwnPost(sql, looking.caller?.id ?? null), { ...inOrder, fits })
    : author !== undefined || series !== undefined
      ? ofOne(sql, author === undefined ? isPartOf(series as string) : ofAuthor(author), {
          ...inOrder,
          fits: sql`${isPostListed(sql)} and ${fits}`,
        })
      : conditions.length === 0
        ? sql`select * from posts b where ${isPostListed(sql)} and ${isBeyond} ${order} limit ${page.take}`
        : firstByCount(sql, {
            ...inOrder,
            from: sql`posts`,
            alias: sql`b`,
            listed: isPostListed(sql),
            fits,
            few: 1_500,
          });
  return await sql<Listed[]>`
    select ${postSummary(sql, looking)}::text as item, json_build_array(${by}, b.id) as key
    from ${withText(sql, sql`(${found})`)} ${order}`;
}

/** A page of the posts that wait for a moderator, the oldest first. */
export async function selectInReview(
  sql: Sql,
  { page, ...looking }: Omit<Wanted, "query">,
): Promise<Listed[]> {
  const [first, id] = page.after?.map(String) ?? [];
  const isBeyond =
    first === undefined || id === undefined
      ? sql`true`
      : sql`(b.submitted_at, b.id) > ((select ${first}::text::timestamptz), (select ${id}::text))`;
  return await sql<Listed[]>`
    select ${postSummary(sql, looking)}::text as item, json_build_array(b.submitted_at, b.id) as key
    from ${withText(
      sql,
      sql`(
        select * from posts b where b.status = 'in_review' and b.deleted_at is null and ${isBeyond}
        order by b.submitted_at, b.id limit ${page.take}
      )`,
    )} order by b.submitted_at, b.id`;
}
