import { one } from "../../database/rows.ts";
import type { Notification, NotificationType } from "@promptreg/core";
import { object } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { Key, Listed } from "../../kernel/lists/page.ts";
import { isMakeVisible } from "../makes/index.ts";
import { isPostVisible } from "../posts/index.ts";
import { isPromptVisible } from "../prompts/index.ts";
import { userRef } from "../../kernel/accounts/accounts.ts";

/** The most rows that one statement reads to find visible ones: many can be about a prompt that turned private. */
const mostRead = 1_000;

/** The lowest id of notifications that are kept. */
export const oldestKept = (sql: Sql): Fragment => sql`first_id('ntf', clock() - interval '180 days')`;

/** Whether an account can see a subject now, by the prefix of the subject's id. */
const visibilityOf = { prm: isPromptVisible, mak: isMakeVisible, pst: isPostVisible };

/**
 * Whether the account of `notifications n` can see its subject now. The owner still sees that something was deleted.
 * Notifications without a subject are visible. The subject can be of any kind: `prompt_id` is named for the first one, and
 * renaming it would break a server of the previous release.
 */
export const isVisible = (sql: Sql): Fragment => {
  const subject = {
    id: sql`n.prompt_id`,
    viewerId: sql`n.user_id`,
    isDeletion: sql`n.type like '%.deleted'`,
  };
  const cases = Object.entries(visibilityOf).map(
    ([prefix, visibility]) => sql`when ${prefix} then ${visibility(sql, subject)}`,
  );
  return sql`case split_part(n.prompt_id, '_', 1) ${cases} else n.prompt_id is null end`;
};

/** The JSON of a notification, from its notice `notices s` and its row `n`. */
const notificationJson = object<Notification, { publicUrl: string }>({
  id: "n.id",
  type: "s.type",
  title: "s.title",
  body: "s.body",
  url: "s.url",
  actor: userRef("s.actor_id"),
  target: "s.target",
  readAt: "iso(n.read_at)",
  createdAt: "iso(s.created_at)",
});

interface Filters {
  unread: boolean | undefined;
  type: NotificationType | undefined;
}

/**
 * The visible notifications of an account, newest first. If the page is not full after the most rows that may be read, the last
 * row has no item, and its key is the cursor position that was reached.
 */
export const listNotifications = (
  sql: Sql,
  { userId, publicUrl }: { userId: string; publicUrl: string },
  { unread, type, after, take }: Filters & { after: Key | null; take: number },
) => {
  // Each case has its index, so that all rows that are read count.
  const newest = sql`(
    select n.* from notifications n
    where n.user_id = ${userId} and n.id > ${oldestKept(sql)}
      ${after === null ? sql`` : sql`and n.id < ${after[0] ?? null}`}
      ${type === undefined ? sql`` : sql`and n.type = ${type}`}
      ${unread === true && type === undefined ? sql`and n.read_at is null` : sql``}
    order by n.id desc limit ${mostRead})`;
  return sql<(Omit<Listed, "item"> & { item: string | null })[]>`
    with shown as (
      select n.id, n.notice_id, n.read_at from ${newest} n
      where ${unread === undefined ? sql`true` : sql`(n.read_at is null) = ${unread}`} and ${isVisible(sql)}
      order by n.id desc limit ${take}
    ), listed as (
      select n.id, ${notificationJson(sql, { publicUrl })}::text as item
      from shown n join notices s on s.id = n.notice_id
      union all
      select n.id, null from (select n.id from ${newest} n offset ${mostRead - 1}) n
      where (select count(*) from shown) < ${take}
    )
    select item, json_build_array(id) as key from listed order by id desc, item is null`;
};

/** How many of its newest notifications an account has not read, and can see. */
export async function countUnread(sql: Sql, userId: string): Promise<number> {
  const { unread } = await one(sql<{ unread: number }[]>`
    select coalesce(sum(count), 0)::int as unread from (
      select n.user_id, n.type, n.prompt_id, count(*) from (
        select user_id, type, prompt_id from notifications
        where user_id = ${userId} and read_at is null and id > ${oldestKept(sql)}
        order by id desc limit ${mostRead}
      ) n group by n.user_id, n.type, n.prompt_id
    ) n where ${isVisible(sql)}`);
  return unread;
}

/** Which notifications to mark: those with the ids, or all created before a time. */
export interface Marking {
  ids: readonly string[] | undefined;
  before: string | undefined;
  read: boolean;
}

/**
 * Marks some of an account's notifications below an id, newest first. Gives how many visible ones it changed, and the id to
 * continue from if there may be more. Locks them in the order of their ids, so that two at once cannot deadlock. Each is found again
 * by all columns of an index: by the account alone, all of its rows would be read for each.
 */
export async function markSome(
  sql: Sql,
  { userId, ids, before, read, below, limit }: Marking & { userId: string; below: string; limit: number },
): Promise<{ updated: number; below: string | null }> {
  const row = await one(sql<{ updated: number; found: number; last: string | null }[]>`
    with found as (
      select n.user_id, n.type, n.id, n.read_at from notifications n
      where n.user_id = ${userId} and n.id > ${oldestKept(sql)} and n.id < ${below}
        ${ids === undefined ? sql`` : sql`and n.id = any (${[...ids]})`}
        ${before === undefined ? sql`` : sql`and n.id < first_id('ntf', ${before}::timestamptz)`}
        ${read ? sql`and n.read_at is null` : sql``}
      order by n.id desc limit ${limit} for no key update
    ), marked as (
      update notifications n set read_at = ${read ? sql`clock()` : sql`null`}
      from found f
      where (n.user_id, n.type, n.id) = (f.user_id, f.type, f.id) and (f.read_at is null) = ${read}
      returning n.user_id, n.type, n.prompt_id
    )
    select (select count(*)::int from marked n where ${isVisible(sql)}) as updated,
      count(*)::int as found, min(id) as last
    from found`);
  return { updated: row.updated, below: row.found === limit ? row.last : null };
}
