import { parseRef } from "@promptreg/core/refs";
import type { Fragment, Sql } from "../../database/sql.ts";
import { isOwn } from "../../kernel/accounts/ownership.ts";
import { isDecent, isListed, isVisibleTo, promptById, promptsAt, type Viewing } from "../prompts/index.ts";

// Who sees what is collected. It can be of several kinds; what knows one of them, prompts, stands here and in `printed` of
// `items.sql.ts`.

type Viewer = Viewing["caller"];

/** Whether everybody is shown `prompts p` in a collection, as in a list. */
const isForAll = (sql: Sql): Fragment => sql`${isListed(sql)} and ${isDecent(sql, null)}`;

/** Whether a viewer is shown `prompts p` in somebody else's collection: as in a list, or because it is the viewer's. */
const isForViewer = (sql: Sql, viewer: Viewer): Fragment =>
  viewer === null
    ? isForAll(sql)
    : sql`(${isListed(sql)} and ${isDecent(sql, viewer)} or p.deleted_at is null and ${isOwn(sql, viewer.id)})`;

/**
 * The items of a collection that a viewer is shown, as a statement. The owner of the collection is shown all that the owner can
 * see. `isForAll` says whether everybody is shown an item: the viewer is then, too.
 */
export const seenItems = (
  sql: Sql,
  { collectionId, viewer, isOwner }: { collectionId: Fragment; viewer: Viewer; isOwner: boolean },
): Fragment => sql`
  select i.*, 'prompt' as type, (${isForAll(sql)}) as "isForAll"
  from collection_items i cross join lateral ${promptById(sql, sql`i.target_id`)} p
  where i.collection_id = ${collectionId} and ${isOwner ? isVisibleTo(sql, viewer) : isForViewer(sql, viewer)}`;

/** The items of a collection whose targets are not deleted, seen or not, as a statement. */
export const heldItems = (sql: Sql, collectionId: string): Fragment => sql`
  select i.* from collection_items i cross join lateral ${promptById(sql, sql`i.target_id`)} p
  where i.collection_id = ${collectionId} and p.deleted_at is null`;

/** The ids of what has or had the address that a query names, as a table. */
export const targetsAt = (sql: Sql, target: string): Fragment =>
  sql`(select id from ${promptsAt(sql, parseRef(target.replace("prompt:", "")))} there)`;

/** The id of what a query names, if a viewer is shown it in collections: the viewer's own, or those of others. */
export const seenTarget = (
  sql: Sql,
  { target, viewer, isOwner }: { target: string; viewer: Viewer; isOwner: boolean },
): Fragment => sql`(
  select p.id from ${targetsAt(sql, target)} there cross join lateral ${promptById(sql, sql`there.id`)} p
  where ${isOwner ? isVisibleTo(sql, viewer) : isForViewer(sql, viewer)} limit 1)`;
