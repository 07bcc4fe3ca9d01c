import { one } from "../../database/rows.ts";
import type { NotificationText, NotificationType } from "@promptreg/core";
import type { Fragment, Sql } from "../../database/sql.ts";

/** The content of notifications, stored once for all accounts that get it, and these accounts. */
export interface Notice {
  id: string;
  type: NotificationType;
  /** The id of its subject: who cannot see that does not see the notification. Null: always visible. */
  subjectId: string | null;
  actorId: string | null;
  createdAt: string;
  text: NotificationText;
  userIds: readonly string[];
}
/** The ids and the times of notices that are written now. */
export const selectMoments = (sql: Sql, count: number) => sql<{ id: string; createdAt: string }[]>`
  select new_id('ntf') as id, iso(clock()) as "createdAt" from generate_series(1, ${count})`;

/** What the notification about a disabled webhook contains. */
export async function selectDisabled(
  sql: Sql,
  webhookId: string,
): Promise<{ userId: string; address: string; description: string | null }> {
  return one(sql<{ userId: string; address: string; description: string | null }[]>`
    select user_id as "userId", url as address, description from webhooks where id = ${webhookId}`);
}

/**
 * Notifies accounts, each at most once even if it runs again, and queues a mail for those that want mail of this type. Each
 * account is found by a subquery, because a join can become a scan of all accounts.
 */
export function writeNotifications(sql: Sql, notices: readonly Notice[], { mails }: { mails: boolean }) {
  const texts = notices.map(({ text, userIds: _, ...notice }, nth) => ({ ...notice, ...text, nth }));
  const readers = notices.flatMap(({ userIds }, nth) => userIds.map((userId) => ({ nth, userId })));
  return sql`
    with given as materialized (
      select *, first_id('ntf', "createdAt") as first
      from json_to_recordset(${JSON.stringify(texts)}::text::json) given (
        nth int, id text, type text, "subjectId" text, "actorId" text, "createdAt" timestamptz,
        title text, body text, url text, target jsonb
      )
    ), notice as (
      insert into notices (id, type, actor_id, title, body, url, target, created_at)
      select id, type, "actorId", title, body, url, target, "createdAt" from given
      on conflict do nothing
    ), written as (
      insert into notifications (notice_id, user_id, id, type, prompt_id)
      select id, user_id, first || left(md5(id || user_id), 16), type, "subjectId"
      from unnest(${readers.map(({ nth }) => nth)}::int[], ${readers.map(({ userId }) => userId)}::text[]) reader (nth, user_id)
        join given on given.nth = reader.nth
      on conflict do nothing
      returning notice_id, user_id, type
    )
    ${
      mails
        ? sql`
    select add_jobs(array_agg(${mailJob(sql)} order by w.user_id))
    from written w where (
      select u.email is not null and u.preferences -> 'emailTypes' ? w.type from users u where u.id = w.user_id
    )
    having count(*) > 0`
        : sql`select`
    }`;
}

/**
 * The job that mails the notification of `w`: a notice and an account, which are its key. It has the lowest priority, and a
 * flag, so that a worker that is busy with mail skips it: a mail server that hangs must not delay deliveries.
 */
const mailJob = (sql: Sql): Fragment => sql`
  ('mail', json_build_object('noticeId', w.notice_id, 'userId', w.user_id), null, null, null,
    w.notice_id || ' ' || w.user_id, 10, array['mail'])::job_spec`;
