import type { Sql as Pool } from "postgres";
import type { Sql } from "../../database/sql.ts";

const chunk = 1_000;

/** An event as the job that fans it out names it. */
interface EventAddress {
  day: string;
  eventId: string;
}

/**
 * Writes a delivery for each webhook that an event concerns, and wakes its drain. It can be repeated and interrupted
 * anywhere: a delivery that is there already stays the only one.
 */
export async function fanOut(sql: Pool, event: EventAddress): Promise<void> {
  let last: string | null = "";
  while (last !== null) {
    const after: string = last;
    const written: Written = await sql.begin((tx) => writeChunk(tx, event, after));
    // Once they can be seen: a drain that is just starting would else look too early, and nobody would wake it again.
    if (written.webhookIds) await wakeDrains(sql, written.webhookIds);
    last = written.last;
  }
}

interface Written {
  /** The webhooks that got a delivery, in order; null for none. */
  webhookIds: string[] | null;
  /** Where the next chunk begins; null after the last one. */
  last: string | null;
}

async function writeChunk(sql: Sql, { day, eventId }: EventAddress, after: string): Promise<Written> {
  // Makes it known as a transaction that writes, before its deliveries get their ids: who follows a log waits for it.
  await sql`select from events where day = ${day} and id = ${eventId} for update`;
  const [row] = await sql<(Written & { reached: number })[]>`
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
    )
    select (select array_agg(webhook_id order by webhook_id) from written) as "webhookIds",
      count(*)::int as reached, max(id) as last
    from recipients`;
  if (row !== undefined && row.reached === chunk) return row;
  await sql`update events set fanned_out_at = clock() where day = ${day} and id = ${eventId}`;
  return { webhookIds: row?.webhookIds ?? null, last: null };
}

const wakeDrains = (sql: Sql, webhookIds: string[]) => sql`
  select graphile_worker.add_jobs(array_agg(
    ('drain', json_build_object('webhookId', id), null, null, null, id, null, null)::graphile_worker.job_spec order by id))
  from unnest(${webhookIds}::text[]) id`;
