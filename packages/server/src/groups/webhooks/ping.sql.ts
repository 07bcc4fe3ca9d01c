import { one } from "../../database/rows.ts";
import type { Sql } from "../../database/sql.ts";

/**
 * Writes a ping event with its only delivery, and gives the delivery's id. The event has no other recipients, so it
 * counts as fanned out from the start.
 */
export async function insertPing(sql: Sql, webhookId: string): Promise<string> {
  const { id } = await one(sql<{ id: string }[]>`
    with moment as materialized (
      select new_id('evt') as id, clock() as at
    ), written as (
      insert into events (day, id, name, account_ids, watch_levels, created_at, body, fanned_out_at)
      select (at at time zone 'UTC')::date, id, 'ping', '{}', '{}', at, convert_to((
          select row_to_json(envelope)::text from (
            select moment.id, 'ping' as event, iso(at) as "createdAt", (
              select row_to_json(data) from (
                select (
                  select row_to_json(webhook) from (select w.id, w.url from webhooks w where w.id = ${webhookId}) webhook
                ) as webhook, 'It works.' as message
              ) data) as data
          ) envelope), 'UTF8'), at
      from moment
      returning day, id
    )
    insert into deliveries (day, event_day, event_id, event, webhook_id, epoch, max_attempts, next_attempt_at)
    select e.day, e.day, e.id, 'ping', w.id, -1, 1, clock() from written e, webhooks w where w.id = ${webhookId}
    returning id`);
  return id;
}
