import type { Sql } from "../../database/sql.ts";

const chunk = 1_000;

/**
 * Writes a delivery for each webhook that an event concerns, and wakes its drain. It can be repeated and interrupted
 * anywhere: a delivery that is there already stays the only one.
 */
export async function fanOut(sql: Sql, { day, eventId }: { day: string; eventId: string }): Promise<void> {
  let after = "";
  for (;;) {
    const [page] = await sql<{ reached: number; last: string | null }[]>`
      with event as (
        select * from events where day = ${day} and id = ${eventId}
      ), recipients as (
        select w.id, w.epoch from webhooks w, event e
        where w.id > ${after} and w.deleted_at is null and w.disabled_reason is null
          and w.user_id in (
            select unnest(e.account_ids)
            union select user_id from watches where prompt_id = e.prompt_id and level = any (e.watch_levels))
          and (w.events is null or e.name = any (w.events))
          and (w.prompt_ids is null or e.prompt_id = any (w.prompt_ids))
        order by w.id limit ${chunk}
      ), written as (
        insert into deliveries (day, event_day, event_id, event, webhook_id, epoch, next_attempt_at)
        select e.day, e.day, e.id, e.name, r.id, r.epoch, clock() from recipients r, event e
        on conflict do nothing
        returning webhook_id
      ), woken as (
        select graphile_worker.add_job('drain', json_build_object('webhookId', webhook_id), job_key := webhook_id)
        from written
      )
      select (select count(*) from recipients)::int as reached, (select max(id) from recipients) as last,
        (select count(*) from woken) as woken`;
    if (!page?.last || page.reached < chunk) break;
    after = page.last;
  }
  await sql`update events set fanned_out_at = clock() where day = ${day} and id = ${eventId}`;
}
