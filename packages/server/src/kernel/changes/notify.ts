import type { EventAbout, notificationCatalogue, NotificationType } from "@promptreg/core";
import type { Sql } from "../../database/sql.ts";
import { afterCommit } from "../../database/transaction.ts";
import { workToDo } from "./bus.ts";
import { type About, eventAbout, type EventSubject, type Writing } from "./emit.ts";
import { actingFor } from "../accounts/ownership.ts";

/** Who is notified, and what it is about. */
export interface NoticeSubject extends EventSubject {
  userId: string;
  /** The id of what must be visible to the account, so that it sees the notification. Default: the prompt. */
  subjectId?: string;
}

/** What the text of a notification is made of, without the prompt and the actor. */
export type NoticeData<N extends NotificationType> = Omit<
  Parameters<(typeof notificationCatalogue)[N]>[0],
  keyof EventAbout
>;

/** A notification to write, as its job has it. Its id is fixed, because a job can run twice. */
export interface NotifyJob {
  id: string;
  type: string;
  userId: string;
  /** Null: the account sees it always. */
  subjectId: string | null;
  createdAt: string;
  data: About;
}

/**
 * Notifies those who act for an account of something that is no event, or no event to it, in the transaction of the change.
 * Nobody is notified of what they did themselves, or of a prompt that they ignore.
 */
export async function notify(
  sql: Sql,
  writing: Writing,
  type: NotificationType,
  { userId, subjectId, ...about }: NoticeSubject,
  data: object,
): Promise<void> {
  const { prompt } = about;
  const text: About = { ...eventAbout(writing, about), ...data };
  await sql`
    insert into outbox (task, payload)
    select 'notify', json_build_object('id', new_id('ntf'), 'type', ${type}::text,
      'userId', account.id, 'subjectId', ${subjectId ?? prompt?.id ?? null}::text, 'createdAt', iso(clock()), 'data', ${JSON.stringify(text)}::text::json)
    from unnest(${actingFor(sql, userId)}) account (id)
    where account.id is distinct from ${text.actor?.id ?? null}::text and not exists (
      select from watches where prompt_id = ${prompt?.id ?? null} and user_id = account.id and level = 'ignore')`;
  afterCommit(sql, () => writing.bus.announce(workToDo));
}
