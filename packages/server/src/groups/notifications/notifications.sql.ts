import type { NotificationType } from "@promptreg/core";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { Key, Listed } from "../../kernel/page.ts";
import { userRef } from "../users/index.ts";

/** How many one statement goes through at most to find those that fit: of a prompt that turned private there can be any number. */
const mostWalked = 1_000;

/** Where the ids of notifications begin that are not yet to be forgotten. */
export const oldestKept = (sql: Sql): Fragment => sql`first_id('ntf', clock() - interval '180 days')`;

/**
 * Whether the account of a notification can see what it is about, from `notifications n`. Its owner is still told that
 * a prompt was deleted. A subquery of one value: as a join, or with `exists`, it could come to a scan of all prompts.
 */
export const isVisible = (sql: Sql): Fragment => sql`
  coalesce((
    select case when p.owner_id = n.user_id then p.deleted_at is null or n.type = 'prompt.deleted'
      else p.deleted_at is null and p.visibility <> 'private' and p.status = 'published' end
    from prompts p where p.id = n.prompt_id
  ), true)`;

interface Filters {
  unread: boolean | undefined;
  type: NotificationType | undefined;
}

/**
 * Notifications of an account that it can see, newest first. Where the walk ends before there are enough, the last
 * row has no item, and its key is the place that was reached.
 */
export const listNotifications = (
  sql: Sql,
  { userId, publicUrl }: { userId: string; publicUrl: string },
  { unread, type, after, take }: Filters & { after: Key | null; take: number },
) => {
  // Of one index each, so that nothing is passed over before it counts.
  const walk = sql`(
    select n.* from notifications n
    where n.user_id = ${userId} and n.id > ${oldestKept(sql)}
      ${after === null ? sql`` : sql`and n.id < ${after[0] ?? null}`}
      ${type === undefined ? sql`` : sql`and n.type = ${type}`}
      ${unread === true && type === undefined ? sql`and n.read_at is null` : sql``}
    order by n.id desc limit ${mostWalked})`;
  return sql<(Omit<Listed, "item"> & { item: string | null })[]>`
    with shown as (
      select n.id, n.notice_id, n.read_at from ${walk} n
      where ${unread === undefined ? sql`true` : sql`(n.read_at is null) = ${unread}`} and ${isVisible(sql)}
      order by n.id desc limit ${take}
    ), listed as (
      select n.id, json_build_object('id', n.id, 'type', s.type, 'title', s.title, 'body', s.body, 'url', s.url,
        'actor', ${userRef(sql, publicUrl, sql`s.actor_id`)}, 'target', s.target, 'readAt', iso(n.read_at),
        'createdAt', iso(s.created_at))::text as item
      from shown n join notices s on s.id = n.notice_id
      union all
      select n.id, null from (select n.id from ${walk} n offset ${mostWalked - 1}) n
      where (select count(*) from shown) < ${take}
    )
    select item, json_build_array(id) as key from listed order by id desc, item is null`;
};

/** How many of the newest an account has not read, and can see. */
export async function countUnread(sql: Sql, userId: string): Promise<number> {
  const [row] = await sql<{ unread: number }[]>`
    select coalesce(sum(count), 0)::int as unread from (
      select n.user_id, n.type, n.prompt_id, count(*) from (
        select user_id, type, prompt_id from notifications
        where user_id = ${userId} and read_at is null and id > ${oldestKept(sql)}
        order by id desc limit ${mostWalked}
      ) n group by n.user_id, n.type, n.prompt_id
    ) n where ${isVisible(sql)}`;
  return row?.unread ?? 0;
}

/** Which notifications are to be marked: those of the ids, or all that were created before a moment. */
export interface Marking {
  ids: readonly string[] | undefined;
  before: string | undefined;
  read: boolean;
}

/**
 * Marks some of an account's notifications, the newest first, below an id; says how many of those that changed can be
 * seen, and where to go on, if there may be more. In the order of their ids, so that two at once wait and go on.
 */
export async function markSome(
  sql: Sql,
  { userId, ids, before, read, below, limit }: Marking & { userId: string; below: string; limit: number },
): Promise<{ updated: number; below: string | null }> {
  const [row] = await sql<{ updated: number; walked: number; last: string | null }[]>`
    with walked as (
      select n.id, n.read_at from notifications n
      where n.user_id = ${userId} and n.id > ${oldestKept(sql)} and n.id < ${below}
        ${ids === undefined ? sql`` : sql`and n.id = any (${[...ids]})`}
        ${before === undefined ? sql`` : sql`and n.id < first_id('ntf', ${before}::timestamptz)`}
        ${read ? sql`and n.read_at is null` : sql``}
      order by n.id desc limit ${limit} for no key update
    ), marked as (
      update notifications n set read_at = ${read ? sql`clock()` : sql`null`}
      from walked where n.user_id = ${userId} and n.id = walked.id and (walked.read_at is null) = ${read}
      returning n.user_id, n.type, n.prompt_id
    )
    select (select count(*)::int from marked n where ${isVisible(sql)}) as updated,
      count(*)::int as walked, min(id) as last
    from walked`;
  return row
    ? { updated: row.updated, below: row.walked === limit ? row.last : null }
    : { updated: 0, below: null };
}
