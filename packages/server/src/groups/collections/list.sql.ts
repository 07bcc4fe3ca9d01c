import type { ListCollections, Membership } from "@promptreg/core";
import { object } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { firstByCount } from "../../kernel/lists/by-count.sql.ts";
import type { MediaSite } from "../../kernel/media/printed.sql.ts";
import type { Listed, Page } from "../../kernel/lists/page.ts";
import { accountsNamed, searchQuery, type Viewing } from "../prompts/index.ts";
import { collectionSummary } from "./items.sql.ts";
import { seenTarget } from "./seen.sql.ts";
import { isCollectionListed, isOwnCollection } from "./target.ts";

/** The requested collections, and who requests them. */
export interface Wanted extends Viewing, MediaSite {
  query: ListCollections;
  page: Page;
}

/** Up to this many matches are sorted. */
const few = 1_500;

/** The orders. Each has its index. */
const orders = (sql: Sql) => ({
  updated: { by: sql`c.updated_at`, type: sql`timestamptz` },
  newest: { by: sql`c.created_at`, type: sql`timestamptz` },
  size: { by: sql`c.item_count`, type: sql`int` },
});

/** A page of public collections, or of the caller's own. */
export async function selectCollections(sql: Sql, { query, page, ...viewing }: Wanted): Promise<Listed[]> {
  const { owner, mine, q, contains, sort = "updated" } = query;
  const { caller } = viewing;
  const { by, type } = orders(sql)[sort];
  const order = sql`order by ${by} desc, c.id desc`;
  const [first, id] = page.after?.map(String) ?? [];
  // Subqueries, since the planner must not know the position: see `selectPrompts`.
  const isBeyond =
    first === undefined || id === undefined
      ? sql`true`
      : sql`(${by}, c.id) < ((select ${first}::text::${type}), (select ${id}::text))`;
  const ofOwner = [
    mine ? isOwnCollection(sql, caller?.id ?? null) : [],
    owner === undefined ? [] : sql`c.owner_id = (select id from ${accountsNamed(sql, owner)} a limit 1)`,
  ].flat();
  const scope = mine ? sql`true` : isCollectionListed(sql);
  const words = q === undefined ? sql`true` : sql`c.document @@ ${searchQuery(sql, q)}`;
  const isOwner = mine === true;
  const target =
    contains === undefined ? null : seenTarget(sql, { target: contains, viewer: caller, isOwner });
  const has = target
    ? sql`exists (select from collection_items i where i.collection_id = c.id and i.target_id = ${target} offset 0)`
    : sql`true`;
  const fits = sql`${words} and ${has}`;
  const found =
    ofOwner.length > 0
      ? // No account has many. The fence keeps the plan from reading those of all others.
        sql`
          select c.* from (select * from collections c where ${all(sql, ofOwner)} and c.deleted_at is null offset 0) c
          where ${scope} and ${fits} and ${isBeyond} ${order} limit ${page.take}`
      : q !== undefined || target
        ? firstByCount(sql, {
            from: sql`collections`,
            alias: sql`c`,
            listed: scope,
            fits,
            found: target
              ? sql`${words} and c.id in (select collection_id from collection_items where target_id = ${target})`
              : words,
            order,
            isBeyond,
            take: page.take,
            few,
          })
        : sql`select c.* from collections c where ${scope} and ${isBeyond} ${order} limit ${page.take}`;
  return sql<Listed[]>`
    select ${collectionSummary(sql, viewing)}::text as item, json_build_array(${by}, c.id) as key
    from (${found}) c ${order}`;
}

const all = (sql: Sql, conditions: readonly Fragment[]): Fragment =>
  conditions.reduce((some, condition) => sql`${some} and ${condition}`, sql`true`);

const membership = object<Membership>({
  id: "c.id",
  title: "c.title",
  visibility: "c.visibility",
  contains: "i.id is not null",
  itemId: "i.id",
});

/** All collections of an account, the latest first, and whether they contain something. */
export const selectMemberships = (
  sql: Sql,
  { ownerId, targetId }: { ownerId: string; targetId: string },
) => sql<{ item: string }[]>`
  select ${membership(sql)}::text as item
  from (select * from collections c where ${isOwnCollection(sql, ownerId)} and c.deleted_at is null offset 0) c
    left join lateral (
      select id from collection_items where collection_id = c.id and target_id = ${targetId} offset 0
    ) i on true
  order by c.updated_at desc, c.id desc`;
