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
export const isVisibleTo = (sql: Sql, viewerId: Fragment | string | null): Fragment => sql`
  (p.deleted_at is null and (p.visibility <> 'private' and p.status = 'published'
    ${viewerId === null ? sql`` : sql`or p.owner_id = ${viewerId}`}))`;

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
