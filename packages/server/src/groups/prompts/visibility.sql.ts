import { type Part, piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { isModeratedByCaller, isOwn, privateSeenBy } from "../../kernel/accounts/ownership.ts";

/**
 * Whether everybody finds `prompts p` in lists and counts. The indexes contain only these prompts. A list that also has the
 * caller's own reads those separately, because an `or` would not use the index.
 */
export const isListed = (sql: Sql): Fragment => sql`
  p.visibility = 'public' and p.status = 'published' and p.deleted_at is null`;

/**
 * Whether an account can see `prompts p`; null means anonymous. The same as `visible` of the target: a test compares both.
 */
export const isVisibleTo = (sql: Sql, viewer: { id: Fragment | string } | null): Fragment =>
  viewer === null ? isVisibleToAll(sql) : isVisibleToViewer(sql, viewer);

const isPublished = "p.deleted_at is null and p.visibility <> 'private' and p.status = 'published'";
const visibleTo = <Given>(viewer: Part<Given>) => piece<Given>`
  (${isPublished} or p.deleted_at is null and ${privateSeenBy(viewer)})`;
/** Whether everybody who has its address can see `prompts p`. */
export const isVisibleToAll = piece`(${isPublished})`;
const isVisibleToViewer = visibleTo<{ id: Fragment | string }>((_, { id }) => id);

/** Whether `prompts p` is not hidden from the caller of a read, as its target says. What they could see and is deleted is not. */
export const isKnownToCaller = piece`(${privateSeenBy("asking.id")}
  or p.status <> 'draft' and (p.visibility <> 'private' or ${isModeratedByCaller}))`;

/** Whether the caller of a read can see `prompts p`: nobody pays for printing what nobody is shown, nor times it. */
export const isVisibleToCaller = piece`(p.deleted_at is null and ${isKnownToCaller})`;

/**
 * Whether an account can see a prompt, or is its owner if it is about a deletion. A subquery with one value: a join or
 * `exists` could become a scan of all prompts.
 */
export const isPromptVisible = (
  sql: Sql,
  { id, viewerId, isDeletion }: { id: Fragment; viewerId: Fragment; isDeletion: Fragment },
): Fragment => sql`
  coalesce((
    select ${isVisibleTo(sql, { id: viewerId })} or (${isOwn(sql, viewerId)} and ${isDeletion})
    from prompts p where p.id = ${id}
  ), false)`;
