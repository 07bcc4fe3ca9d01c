import type { Sql } from "../../database/sql.ts";
export async function insertNotifications(
  _: Sql,
  __: { day: string; eventId: string; userIds: string[] },
): Promise<void> {}
export async function notifyDisabled(_: Sql, __: { webhookId: string }): Promise<void> {}
