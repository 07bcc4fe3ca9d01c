import { limitTo } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";
import { linkExpiry } from "./mail.sql.ts";
import { isVisible } from "./notifications.sql.ts";

/** Whose digest a job is to send, and from which notifications on. */
export interface DigestJob {
  userId: string;
  since: string;
  until: string;
}

/** Accounts whose digest becomes due in one statement. A minute later come the next. */
const perMinute = limitTo(1_000);

/**
 * Queues the digests that are due: one for an account and day, whatever the number of workers. As a mail it has the lowest priority, and waits
 * while a worker is busy with others. Who still waits for one gets none beside it: the next goes on where that one ends.
 */
export const queueDigests = (sql: Sql) => sql`
  with due as (
    select id, greatest(coalesce(digest_at, '-infinity'), clock() - interval '7 days') as since from users
    where preferences ->> 'emailDigest' = 'true' and email is not null
      and coalesce(digest_at, '-infinity'::timestamptz) <= clock() - interval '24 hours'
      and not exists (
        select from jobs j where j.key = 'digest ' || users.id and j.attempts < j.max_attempts offset 0)
    order by coalesce(digest_at, '-infinity'::timestamptz) ${perMinute(sql)} for no key update skip locked
  ), marked as (
    update users u set digest_at = clock() from due where u.id = due.id returning u.id, due.since, u.digest_at
  )
  select add_jobs(array_agg((
    'digest', json_build_object('userId', id, 'since', iso(since), 'until', iso(digest_at)), null, null, null,
    'digest ' || id, 10, array['mail'])::job_spec))
  from marked having count(*) > 0`;

/** How many notifications a digest names. */
const mostNamed = 20;
/** How many it counts. */
const mostCounted = 1_000;

/** The news of an account. */
export interface Digest {
  handle: string;
  email: string;
  /** When the link in it expires, in seconds. */
  expiresAt: number;
  count: number;
  /** The newest first. */
  items: { title: string; url: string }[];
}

/** What an account has not read, and still sees, of a time, without what came by mail anyhow. Null: it wants no digest any more, or has no news. */
export async function selectDigest(sql: Sql, { userId, since, until }: DigestJob): Promise<Digest | null> {
  const [row] = await sql<Digest[]>`
    select u.handle, u.email, ${linkExpiry(sql)} as "expiresAt", news.count, news.items
    from users u cross join lateral (
      select count(*)::int as count,
        json_agg(json_build_object('title', title, 'url', url) order by id desc) filter (where nth <= ${mostNamed}) as items
      from (
        select n.id, s.title, s.url, row_number() over (order by n.id desc) as nth from (
          select * from notifications n
          where n.user_id = u.id and n.read_at is null
            and n.id >= first_id('ntf', ${since}::timestamptz) and n.id < first_id('ntf', ${until}::timestamptz)
          order by n.id desc limit ${mostCounted}
        ) n join notices s on s.id = n.notice_id
        where ${isVisible(sql)} and not (u.preferences -> 'emailTypes' ? s.type)
      ) n
    ) news
    where u.id = ${userId} and u.email is not null and u.preferences ->> 'emailDigest' = 'true' and news.count > 0`;
  return row ?? null;
}
