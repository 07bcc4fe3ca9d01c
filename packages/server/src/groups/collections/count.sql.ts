import { one } from "../../database/rows.ts";
import { limitTo } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { heldItems, seenItems } from "./seen.sql.ts";

/**
 * Counts the items of collections that everybody is shown, after a change of these. `isEdit`: an edit by the owner, which counts as an
 * update if it changed what everybody is shown; of another one nobody may learn. Needs the locks of the collections.
 */
export const countItems = (sql: Sql, ids: readonly string[], { isEdit }: { isEdit: boolean }) => sql`
  update collections c
  set item_count = now.count, items_digest = now.digest, revision = c.revision + (${isEdit}::boolean)::int,
    updated_at = case when ${isEdit} then clock() else c.updated_at end
  from unnest(${[...ids]}::text[]) wanted (id) cross join lateral (
    select count(*) as count,
      sha256(convert_to(json_agg(json_build_array(i.id, i.note) order by i.position)::text, 'UTF8')) as digest
    from (${seenItems(sql, { collectionId: sql`wanted.id`, viewer: null, isOwner: false })}) i
  ) now
  where c.id = wanted.id and (c.item_count, c.items_digest) is distinct from (now.count, now.digest)`;

/** How many items of a collection count for its limit: those that its owner cannot see any more are among them. */
export async function countHeld(sql: Sql, collectionId: string): Promise<number> {
  const { count } = await one(sql<{ count: number }[]>`
    select count(*)::int as count from (${heldItems(sql, collectionId)}) held`);
  return count;
}

/** Collections that one transaction counts: few, so that edits of these wait for milliseconds. */
const batch = 50;
const oneBatch = limitTo(batch);

/** Counts anew what prompts, makes and posts changed that turned private, public or mature, and takes out those that were deleted. */
export async function followTargets(sql: ServerContext["sql"]): Promise<void> {
  while (await sql.begin(followOne));
}

/** One batch of the first change; another process takes another one. False if there is none. */
async function followOne(sql: Sql): Promise<boolean> {
  const [change] = await sql<{ seq: string; targetId: string; doneTo: string }[]>`
    select seq::text, target_id as "targetId", done_to as "doneTo" from collection_changes
    order by seq limit 1 for update skip locked`;
  if (change === undefined) return false;
  const { seq, targetId, doneTo } = change;
  // In the order of their ids, as others would lock several: so that nobody waits in a circle.
  const locked = await sql<{ id: string }[]>`
    select c.id from collections c where c.id in (
      select collection_id from collection_items
      where (target_id, collection_id) > (${targetId}, ${doneTo}) and target_id <= ${targetId}
      order by target_id, collection_id ${oneBatch(sql)})
    order by c.id for no key update`;
  const ids = locked.map(({ id }) => id);
  await sql`
    delete from collection_items i
    where i.collection_id = any (${ids}) and i.target_id = ${targetId} and (
      exists (select from prompts where id = ${targetId} and deleted_at is not null)
      or exists (select from makes where id = ${targetId} and deleted_at is not null)
      or exists (select from posts where id = ${targetId} and deleted_at is not null))`;
  await countItems(sql, ids, { isEdit: false });
  if (ids.length < batch) await sql`delete from collection_changes where seq = ${seq}`;
  else await sql`update collection_changes set done_to = ${ids.at(-1) ?? ""} where seq = ${seq}`;
  return true;
}
