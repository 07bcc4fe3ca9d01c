import { one } from "../../database/rows.ts";
import type { CollectionItem, CollectionSummary, JsonText } from "@promptreg/core";
import { columns, type Piece, piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { userRef } from "../../kernel/accounts/accounts.ts";
import { mediaOf, type MediaSite } from "../../kernel/media/printed.sql.ts";
import { seesPrivate } from "../../kernel/accounts/ownership.ts";
import type { Listed, Page } from "../../kernel/lists/page.ts";
import { makeById, makeSummary } from "../makes/index.ts";
import { postById, postSummary, withText } from "../posts/index.ts";
import { promptById, promptSummary, type Viewing } from "../prompts/index.ts";
import { seenItems, targetsAt } from "./seen.sql.ts";
import type { CollectionRow } from "./target.ts";

const summaryWith = (itemCount: string): Piece<MediaSite> =>
  columns<CollectionSummary, MediaSite>({
    id: "c.id",
    title: "c.title",
    description: "c.description",
    visibility: "c.visibility",
    owner: userRef("c.owner_id"),
    cover: mediaOf<MediaSite>("c.cover_media_id", "c.visibility <> 'private'"),
    itemCount,
    createdAt: "iso(c.created_at)",
    updatedAt: "iso(c.updated_at)",
  });

/** The JSON of `collections c` as lists show it. */
export const collectionSummary = piece<MediaSite>`
  (select row_to_json(s) from (select ${summaryWith("c.item_count")}) s)`;
/** The same beside its items, which are counted with it, so that the two never differ. */
const summaryBesideItems = summaryWith(`(select count(*) from seen where "isForAll")`);

/** A collection, and who looks at it. */
export interface Looking extends Viewing, MediaSite {
  collection: Pick<CollectionRow, "id" | "ownerId">;
}

/** What a viewer is shown of a collection, in its order, as a common table. */
const seen = (sql: Sql, { collection, caller }: Looking): Fragment => sql`
  seen as materialized (
    select *, row_number() over (order by position)::int as place from (${seenItems(sql, {
      collectionId: sql`${collection.id}`,
      viewer: caller,
      isOwner: seesPrivate(caller, collection),
    })}) i
  )`;

/** An item as JSON, from a row `i` of `seen`. */
const printed = (sql: Sql, looking: Looking): Fragment => sql`
  json_build_object('id', i.id, 'type', i.type, 'target', case i.type
    when 'prompt' then (
      select ${promptSummary(sql, looking)} from ${promptById(sql, sql`i.target_id`)} p join users o on o.id = p.owner_id)
    when 'make' then (select ${makeSummary(sql, looking)} from ${makeById(sql, sql`i.target_id`)} k)
    else (select ${postSummary(sql, looking)} from ${withText(sql, postById(sql, sql`i.target_id`))}) end,
    'note', i.note, 'position', i.place, 'addedAt', iso(i.added_at))`;

/** A collection as its own revision has it, and a page of the items that somebody is shown. */
export interface ShownCollection {
  summary: JsonText<CollectionSummary>;
  revision: string;
  rows: Listed[];
}

/**
 * A collection with a page of its items, in one statement: its first row has the collection too. A cursor has the id of an item, and its position among what was shown: if
 * the item was removed meanwhile, the page begins where it was. The stored position would tell of items that are not shown.
 */
export async function selectCollection(
  sql: Sql,
  looking: Looking,
  { type, after, take }: Pick<Page, "after" | "take"> & { type?: CollectionItem["type"] | undefined },
): Promise<ShownCollection | null> {
  const { id } = looking.collection;
  const [itemId, place] = after ?? [];
  const isBeyond =
    after === null
      ? sql`true`
      : sql`i.position > coalesce(
          (select position from collection_items where id = ${String(itemId)}),
          (select position from seen where place < ${Number(place)} order by place desc limit 1), 0)`;
  const rows = await sql<(Omit<ShownCollection, "rows"> & (Listed | { item: null }))[]>`
    with ${seen(sql, looking)}
    select i.item, i.key, c.revision::text, case when coalesce(i.nth, 1) = 1 then (
      select row_to_json(s)::text from (select ${summaryBesideItems(sql, looking)}) s) end as summary
    from collections c left join lateral (
      select ${printed(sql, looking)}::text as item, json_build_array(i.id, i.place) as key, row_number() over (order by i.place) as nth
      from (
        select * from seen i where ${isBeyond} and ${type === undefined ? sql`true` : sql`i.type = ${type}`}
        order by i.place limit (select ${take}::int)
      ) i
    ) i on true
    where c.id = ${id} and c.deleted_at is null order by i.nth`;
  const [first] = rows;
  if (first === undefined) return null;
  const { summary, revision } = first;
  return { summary, revision, rows: rows.filter((row) => row.item !== null) };
}

/** One item of a collection; null if there is none, or if it is not shown. */
export async function selectItem(
  sql: Sql,
  looking: Looking,
  itemId: string,
): Promise<JsonText<CollectionItem> | null> {
  const [row] = await sql<{ item: JsonText<CollectionItem> }[]>`
    with ${seen(sql, looking)} select ${printed(sql, looking)}::text as item from seen i where i.id = ${itemId}`;
  return row?.item ?? null;
}

/** The ids of the items that somebody is shown, in their order. */
export async function selectSeenIds(sql: Sql, looking: Looking): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    with ${seen(sql, looking)} select id from seen order by place`;
  return rows.map(({ id }) => id);
}

/** The item that a thing is in a collection; null if it is not in it. */
export async function selectItemOf(
  sql: Sql,
  { collectionId, targetId }: { collectionId: string; targetId: string },
): Promise<string | null> {
  const [row] = await sql<{ id: string }[]>`
    select id from collection_items where collection_id = ${collectionId} and target_id = ${targetId}`;
  return row?.id ?? null;
}

/** Adds something to a collection after all others, and gives the id of the item. */
export async function insertItem(
  sql: Sql,
  { collectionId, targetId, note }: { collectionId: string; targetId: string; note: string | null },
): Promise<string> {
  const { id } = await one(sql<{ id: string }[]>`
    insert into collection_items (collection_id, target_id, note, position)
    select ${collectionId}, ${targetId}, ${note}, coalesce(max(position), 0) + 1
    from collection_items where collection_id = ${collectionId}
    returning id`);
  return id;
}

export const updateNote = (sql: Sql, itemId: string, note: string | null) => sql`
  update collection_items set note = ${note} where id = ${itemId}`;

export const deleteItem = (sql: Sql, itemId: string) => sql`
  delete from collection_items where id = ${itemId}`;

/** Takes out of a collection what has or had an address, whoever can see it. */
export const deleteTarget = (
  sql: Sql,
  { collectionId, target }: { collectionId: string; target: string },
) => sql`
  delete from collection_items
  where collection_id = ${collectionId} and target_id in (select id from ${targetsAt(sql, target)} there)`;

/** Puts items of a collection in this order, at the positions that they have. So the others stay where they are. */
export const orderItems = (sql: Sql, ids: readonly string[]) => sql`
  update collection_items i set position = free.position
  from unnest(${[...ids]}::text[]) with ordinality wanted (id, nth) join (
    select position, row_number() over (order by position) as nth from collection_items where id = any (${[...ids]})
  ) free using (nth)
  where i.id = wanted.id`;
