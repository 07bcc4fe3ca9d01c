import type { NotificationType } from "@promptreg/core";
import { piece } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";
import { isVisible } from "./notifications.sql.ts";

/** A notification as it is mailed. */
export interface MailedNotification {
  id: string;
  type: NotificationType;
  title: string;
  body: string;
  url: string;
  userId: string;
  handle: string;
  email: string;
  /** When the link in it expires, in seconds. */
  expiresAt: number;
}

/** Which notification a job is to mail. */
export interface MailJob {
  noticeId: string;
  userId: string;
}

/** When a link in a mail expires that is sent now. */
export const linkExpiry = piece`extract(epoch from clock() + interval '1 year')::int8::float8`;

/** A notification, if its account still wants this mail, has an address, and can still see the notification. */
export async function selectMail(
  sql: Sql,
  { noticeId, userId }: MailJob,
): Promise<MailedNotification | null> {
  const [row] = await sql<MailedNotification[]>`
    select n.id, s.type, s.title, s.body, s.url, u.id as "userId", u.handle, u.email,
      ${linkExpiry(sql)} as "expiresAt"
    from notifications n join notices s on s.id = n.notice_id join users u on u.id = n.user_id
    where n.notice_id = ${noticeId} and n.user_id = ${userId}
      and u.email is not null and u.preferences -> 'emailTypes' ? s.type and ${isVisible(sql)}`;
  return row ?? null;
}

/** Postpones a mail or a digest by some seconds, under its key. */
export const postpone = (
  sql: Sql,
  { task, key, job }: { task: "mail" | "digest"; key: string; job: object },
) => sql`
  select add_job(${task}, ${JSON.stringify(job)}::text::json, job_key := ${key},
    run_at := now() + interval '10 seconds', priority := 10, flags := array['mail'])`;

/**
 * Frees the jobs of workers that hold a notification or a mail for longer than any takes: a killed process leaves its jobs locked for
 * hours. A job can run twice.
 */
export const reviveJobs = (sql: Sql) => sql`
  select force_unlock_workers(array_agg(distinct locked_by)) from jobs
  where task_identifier in ('notify', 'contest-changed', 'mail', 'digest') and locked_at < now() - interval '2 minutes' having count(*) > 0`;
