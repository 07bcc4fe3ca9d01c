import {
  type Describe,
  notificationCatalogue,
  type NotificationText,
  type NotificationType,
} from "@promptreg/core";
import type { Sql } from "../../database/sql.ts";
import type { NotifyJob } from "../../kernel/changes/notify.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { type Notice, selectDisabled, selectMoments, writeNotifications } from "./insert.sql.ts";

type Server = Pick<ServerContext, "publicUrl" | "mailer">;

const isType = (name: string): name is NotificationType => Object.hasOwn(notificationCatalogue, name);

const textOf = (type: NotificationType, data: unknown): NotificationText =>
  (notificationCatalogue[type] as Describe<unknown>)(data);

/** An event, and the accounts that are to be notified of it. */
export interface NewsOfEvent {
  id: string;
  name: string;
  promptId: string | null;
  createdAt: string;
  data: { actor?: { id: string } | null };
  userIds: readonly string[];
}

/** What an account is told of its own acts: CI reports runs with its owner's token, while the owner is elsewhere. */
const hearsOfOwn: ReadonlySet<string> = new Set<NotificationType>(["eval.run.failed"]);

/**
 * Notifies accounts of events, mostly not the actor of each, and each account only once even if it runs again. Queues mails for those
 * who want mail of its type, in the same transaction.
 */
export async function insertNotifications(
  sql: Sql,
  { mailer }: Server,
  events: readonly NewsOfEvent[],
): Promise<void> {
  const notices = events.flatMap<Notice>(({ name: type, promptId: subjectId, data, userIds, ...event }) => {
    if (!isType(type)) return [];
    const actorId = data.actor?.id ?? null;
    const readers = hearsOfOwn.has(type) ? userIds : userIds.filter((id) => id !== actorId);
    if (readers.length === 0) return [];
    return { ...event, type, subjectId, actorId, text: textOf(type, data), userIds: readers };
  });
  if (notices.length > 0) await writeNotifications(sql, notices, { mails: mailer !== null });
}

/** Notifies one account of what is no event, only once even if it runs again. */
export async function insertNotification(
  { sql, mailer }: Pick<ServerContext, "sql" | "mailer">,
  { type, userId, data, ...job }: NotifyJob,
): Promise<void> {
  if (!isType(type)) return;
  const notice = {
    ...job,
    type,
    actorId: data.actor?.id ?? null,
    text: textOf(type, data),
    userIds: [userId],
  };
  await writeNotifications(sql, [notice], { mails: mailer !== null });
}

/**
 * Notifies accounts of what is about no prompt, each of its own, also by mail. Call it once, in the transaction of the change.
 */
export async function notifyAccounts<N extends NotificationType>(
  sql: Sql,
  { mailer }: Pick<Server, "mailer">,
  type: N,
  told: readonly { userId: string; data: Parameters<(typeof notificationCatalogue)[N]>[0] }[],
): Promise<void> {
  const moments = await selectMoments(sql, told.length);
  const notices = told.flatMap(({ userId, data }, nth) => {
    const moment = moments[nth];
    const about = { type, subjectId: null, actorId: null, text: textOf(type, data), userIds: [userId] };
    return moment ? { ...moment, ...about } : [];
  });
  await writeNotifications(sql, notices, { mails: mailer !== null });
}

/**
 * Notifies the owner of a webhook that it was disabled, also by mail. Call it once, in the transaction that disables it,
 * under its row lock.
 */
export async function notifyDisabled(
  sql: Sql,
  server: Server,
  { webhookId }: { webhookId: string },
): Promise<void> {
  const { userId, address, description } = await selectDisabled(sql, webhookId);
  const data = {
    id: webhookId,
    host: URL.parse(address)?.host ?? "",
    description,
    url: `${server.publicUrl}/api/v1/webhooks/${webhookId}`,
  };
  await notifyAccounts(sql, server, "webhook.disabled", [{ userId, data }]);
}
