import type { Sql } from "../../database/sql.ts";

/**
 * Wakes drains that no job will wake: after a crash jobs stay locked for hours, but our own rows say what is due. A
 * delivery that is overdue for less than `overdueSeconds` may still be on its way.
 */
export async function sweep(sql: Sql, { overdueSeconds = 10 } = {}): Promise<void> {
  await sql`
    with overdue as (
      select d.webhook_id, w.id is null or w.deleted_at is not null as is_gone
      from deliveries d left join webhooks w on w.id = d.webhook_id
      where d.completed_at is null and d.next_attempt_at <= clock() - make_interval(secs => ${overdueSeconds})
        and (w.leased_until is null or w.leased_until <= clock())
      order by d.next_attempt_at limit 10000
    ), drains as (
      select add_job('drain', json_build_object('webhookIds', json_agg(distinct webhook_id)),
        job_key := 'overdue')
      from overdue where not is_gone having count(*) > 0
    ), purges as (
      select add_job('purge_webhook', json_build_object('webhookId', webhook_id),
        job_key := 'purge ' || webhook_id)
      from overdue where is_gone group by webhook_id
    )
    select (select count(*) from drains), (select count(*) from purges)`;
}
