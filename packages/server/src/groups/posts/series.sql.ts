import { one } from "../../database/rows.ts";
import type { CreateSeries } from "@promptreg/core";
import { limits } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { Listed, Page } from "../../kernel/lists/page.ts";
import { isOwnSeries, type SeriesRow } from "./series-target.ts";
import { type Looking, seriesSummary } from "./shown.sql.ts";
import { isPostListed } from "./target.ts";

/** How many series an account has. Needs the account's lock. */
export async function countSeries(sql: Sql, ownerId: string): Promise<number> {
  const { count } = await one(sql<{ count: number }[]>`
    select count(*)::int as count from post_series s where ${isOwnSeries(sql, ownerId)} and s.deleted_at is null`);
  return count;
}

/** Writes a series, and gives its id; null if its owner has another with its slug. */
export async function insertSeries(
  sql: Sql,
  { ownerId, slug, title, description = null }: CreateSeries & { ownerId: string; slug: string },
): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    insert into post_series (owner_id, slug, title, description) values (${ownerId}, ${slug}, ${title}, ${description})
    on conflict (owner_id, slug) where deleted_at is null do nothing returning id`;
  return row?.id ?? null;
}

/** Changes what a series says; false if its owner has another with its slug. Needs the account's lock for another slug. */
export async function updateSeries(
  sql: Sql,
  { id, ownerId, slug, title, description }: Omit<SeriesRow, "revision" | "isPublic">,
): Promise<boolean> {
  const rows = await sql`
    update post_series s set slug = ${slug}, title = ${title}, description = ${description}, updated_at = clock(),
      revision = s.revision + 1
    where s.id = ${id} and (
      select o.id from post_series o where o.owner_id = ${ownerId} and o.slug = ${slug} and o.id <> ${id} and o.deleted_at is null
    ) is null
    returning id`;
  return rows.length > 0;
}

export const deleteSeries = (sql: Sql, id: string) => sql`
  update post_series set deleted_at = clock(), revision = revision + 1 where id = ${id}`;

/** The ids of all posts of a series, in their order. */
export async function selectParts(sql: Sql, id: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select b.id from (select * from posts where series_id = ${id} offset 0) b join post_series s on s.id = b.series_id
    where b.deleted_at is null order by array_position(s.post_ids, b.id)`;
  return rows.map(({ id }) => id);
}

/** The published ones of some posts of a series, in this order. */
const published = (sql: Sql, ids: Fragment): Fragment => sql`array(
  select part.id from unnest(${ids}) with ordinality part (id, nth)
    cross join lateral (select * from posts where id = part.id offset 0) b
  where b.series_id = s.id and ${isPostListed(sql)} order by part.nth)`;

/** Writes the order of the posts of a series. It is an update to others if they see it. */
export const orderParts = (sql: Sql, id: string, postIds: readonly string[]) => sql`
  update post_series s set post_ids = ${[...postIds]}, revision = s.revision + 1,
    updated_at = case when ${published(sql, sql`s.post_ids`)} is distinct from ${published(sql, sql`${[...postIds]}::text[]`)}
      then clock() else s.updated_at end
  where s.id = ${id}`;

/**
 * Puts a post of a series behind the others of it. Needs the lock of the series.
 * @throws {ApiError} `quota_exceeded`.
 */
export async function appendPart(sql: Sql, { id, postId }: { id: string; postId: string }): Promise<void> {
  const others = (await selectParts(sql, id)).filter((one) => one !== postId);
  if (others.length >= limits.postsPerSeries) {
    throw apiError("quota_exceeded", {
      message: `A series can have ${limits.postsPerSeries} posts. Take one out first.`,
    });
  }
  await orderParts(sql, id, [...others, postId]);
}

/** A page of the series of the caller, the newest first. */
export const selectSeriesList = (
  sql: Sql,
  { ownerId, page, ...looking }: { ownerId: string; page: Page } & Looking,
) => sql<Listed[]>`
  select ${seriesSummary(sql, looking)}::text as item, json_build_array(s.id) as key
  from (
    select * from (select * from post_series s where ${isOwnSeries(sql, ownerId)} and s.deleted_at is null offset 0) s
    where ${page.after === null ? sql`true` : sql`s.id < (select ${String(page.after[0])}::text)`}
    order by s.id desc limit ${page.take}
  ) s order by s.id desc`;
