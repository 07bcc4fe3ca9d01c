import { piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";

/**
 * Whether everybody finds `prompts p` in lists and counts. Their indexes hold just these: where a list has one's own
 * prompts too, it reads them apart, since an `or` would lead past the index.
 */
export const isListed = (sql: Sql): Fragment => sql`
  p.visibility = 'public' and p.status = 'published' and p.deleted_at is null`;

/**
 * Whether an account can see `prompts p`, or anybody where it is null. The same as `visible` of the target's decision, which
 * the tests hold together.
 */
export const isVisibleTo = (sql: Sql, viewerId: Fragment | string | null): Fragment =>
  viewerId === null ? isVisibleToAll(sql) : isVisibleToViewer(sql, { viewerId });

const isPublished = "p.deleted_at is null and p.visibility <> 'private' and p.status = 'published'";
const isVisibleToAll = piece`(${isPublished})`;
const isVisibleToViewer = piece<{ viewerId: Fragment | string }>`
  (${isPublished} or p.deleted_at is null and p.owner_id = ${(_, { viewerId }) => viewerId})`;

/** Whether the caller of a read can see `prompts p`: nobody pays for printing what nobody is shown, nor times it. */
export const isVisibleToCaller = piece`
  (${isPublished} or p.deleted_at is null and p.owner_id = asking.caller ->> 'id')`;

/**
 * Whether an account can see the prompt of an id, or is its owner where the question is about its deletion. A subquery of
 * one value: as a join, or with `exists`, it could come to a scan of all prompts.
 */
export const isPromptVisible = (
  sql: Sql,
  { id, viewerId, isDeletion }: { id: Fragment; viewerId: Fragment; isDeletion: Fragment },
): Fragment => sql`
  coalesce((
    select ${isVisibleTo(sql, viewerId)} or (p.owner_id = ${viewerId} and ${isDeletion})
    from prompts p where p.id = ${id}
  ), false)`;
