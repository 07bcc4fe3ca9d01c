import type { Sql as Pool } from "postgres";
import type { Sql } from "../../database/sql.ts";

const chunk = 1_000;

/**
 * Writes a delivery for each webhook that an event concerns, and wakes its drain. It can be repeated and interrupted
 * anywhere: a delivery that is there already stays the only one.
 */
export async function fanOut(sql: Pool, event: { day: string; eventId: string }): Promise<void> {
  let after: string | null = "";
  while (after !== null)
    after = await sql.begin((tx): Promise<string | null> => writeChunk(tx, event, after ?? ""));
}

/** Writes the deliveries of the next webhooks after the one given, and gives the last of them; null at the end. */
async function writeChunk(
  sql: Sql,
  { day, eventId }: { day: string; eventId: string },
  after: string,
): Promise<string | null> {
  // A transaction that is known to write, before its deliveries get their ids: who follows a log waits for it.
  await sql`select from events where day = ${day} and id = ${eventId} for update`;
  const [page] = await sql<{ reached: number; last: string | null }[]>`
    with event as (
      select * from events where day = ${day} and id = ${eventId}
    ), accounts as (
      select unnest(account_ids) as user_id from event
      union select w.user_id from event e join watches w on w.prompt_id = e.prompt_id and w.level = any (e.watch_levels)
    ), recipients as (
      select w.id, w.epoch from accounts join webhooks w using (user_id), event e
      where w.id > ${after} and w.deleted_at is null and w.disabled_reason is null
        and (w.events is null or e.name = any (w.events))
        and (w.prompt_ids is null or e.prompt_id = any (w.prompt_ids))
      order by w.id limit ${chunk}
    ), written as (
      insert into deliveries (day, event_day, event_id, event, webhook_id, epoch, next_attempt_at)
      select e.day, e.day, e.id, e.name, r.id, r.epoch, clock() from recipients r, event e
      on conflict do nothing
      returning webhook_id
    ), woken as (
      select graphile_worker.add_jobs(array_agg(
        ('drain', json_build_object('webhookId', webhook_id), null, null, null, webhook_id, null, null
        )::graphile_worker.job_spec order by webhook_id))
      from written having count(*) > 0
    )
    select (select count(*) from recipients)::int as reached, (select max(id) from recipients) as last,
      (select count(*) from woken) as woken`;
  if (page?.last && page.reached === chunk) return page.last;
  await sql`update events set fanned_out_at = clock() where day = ${day} and id = ${eventId}`;
  return null;
}
