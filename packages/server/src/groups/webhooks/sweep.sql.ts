import type { Sql } from "../../database/sql.ts";

/** Wakes what no job will: after a crash jobs stay locked for hours, but what is due stands in our own rows. */
export async function sweep(sql: Sql): Promise<void> {
  await sql`
    select graphile_worker.add_job('fan_out', json_build_object('day', day, 'eventId', id), job_key := id)
    from events where fanned_out_at is null and created_at < clock() - interval '1 minute'
    order by created_at limit 1000`;
  await sql`
    select graphile_worker.add_job('drain', json_build_object('webhookId', webhook_id), job_key := webhook_id)
    from (
      select distinct webhook_id from deliveries
      where status = 'pending' and next_attempt_at < clock() - interval '1 minute'
        and (leased_until is null or leased_until < clock())
      limit 1000
    ) overdue`;
  await sql`select make_partitions('events', clock()::date, 8)`;
  await sql`select make_partitions('deliveries', clock()::date, 8)`;
  await sql`delete from idempotency_keys where created_at < clock() - interval '24 hours'`;
}
