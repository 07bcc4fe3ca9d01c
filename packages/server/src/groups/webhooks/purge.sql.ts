import { limitTo } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";

const someRows = limitTo(10_000);

/** Deletes a part of the log of a deleted webhook and schedules the next; after the last it deletes the webhook. */
export async function purgeWebhook(sql: Sql, { webhookId }: { webhookId: string }): Promise<void> {
  const { count } = await sql`
    delete from deliveries where (day, id) in (
      select d.day, d.id from deliveries d
      where d.webhook_id = ${webhookId}
        and not exists (select from webhooks w where w.id = d.webhook_id and w.deleted_at is null)
      ${someRows(sql)})`;
  if (count > 0)
    await sql`select add_job('purge_webhook', json_build_object('webhookId', ${webhookId}::text))`;
  else await sql`delete from webhooks where id = ${webhookId} and deleted_at is not null`;
}
