import type { Sql } from "../../database/sql.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { insertNotifications } from "../notifications/index.ts";
import { wakeDrains } from "./drain.sql.ts";

/** Accounts a transaction, each with at most 20 webhooks. */
const chunk = 1_000;
/** Drains that begin in this process without a job for each. */
const wokenHere = 50;

type Server = Pick<ServerContext, "sql" | "publicUrl" | "mailer">;

/** An event as the job that fans it out names it. */
interface EventAddress {
  day: string;
  eventId: string;
}

/**
 * Writes a delivery for each webhook that an event concerns, and a notification for each account, and wakes the drains.
 * It can be repeated and interrupted anywhere: what is there already stays the only one.
 */
export async function fanOut(
  server: Server,
  event: EventAddress,
  wake: (webhookIds: readonly string[]) => Promise<void>,
): Promise<void> {
  const { sql } = server;
  let left = wokenHere;
  for (let last: string | null = ""; last !== null; ) {
    const after: string = last;
    const written: Written = await sql.begin((tx) => writeChunk(tx, server, { ...event, after }));
    // Once they can be seen: a drain that is just starting would else look too early, and nobody would wake it again.
    const others = written.webhookIds.splice(left);
    left -= written.webhookIds.length;
    await wakeDrains(sql, others);
    await wake(written.webhookIds);
    last = written.last;
  }
}

interface Written {
  /** The webhooks that got a delivery. */
  webhookIds: string[];
  /** Where the next chunk begins; null after the last one. */
  last: string | null;
}

async function writeChunk(
  sql: Sql,
  server: Server,
  { day, eventId, after }: EventAddress & { after: string },
): Promise<Written> {
  const [, [row]] = await Promise.all([
    // Makes it known as a transaction that writes, before its deliveries get their ids: who follows a log waits for it.
    sql`select from events where day = ${day} and id = ${eventId} for update`,
    sql<{ userIds: string[]; webhookIds: string[] }[]>`
    with event as (
      select * from events where day = ${day} and id = ${eventId}
    ), accounts as materialized (
      select user_id from (
        (select unnest(account_ids) as user_id from event)
        union
        (
          select w.user_id from event e join watches w on w.prompt_id = e.prompt_id and w.level = any (e.watch_levels)
          where w.user_id > ${after} order by w.user_id limit ${chunk}
        )
      ) account
      where user_id > ${after} order by user_id limit ${chunk}
    ), written as (
      insert into deliveries (day, event_day, event_id, event, webhook_id, epoch, next_attempt_at)
      select e.day, e.day, e.id, e.name, w.id, w.epoch, clock()
      from accounts join webhooks w using (user_id), event e
      where w.deleted_at is null and w.disabled_reason is null
        and (w.events is null or e.name = any (w.events))
        and (w.prompt_ids is null or e.prompt_id = any (w.prompt_ids))
      on conflict do nothing
      returning webhook_id
    )
    select coalesce((select array_agg(user_id order by user_id) from accounts), '{}') as "userIds",
      coalesce((select array_agg(webhook_id) from written), '{}') as "webhookIds"`,
  ]);
  if (row === undefined) throw new Error("a statement without from gave no row");
  const { userIds, webhookIds } = row;
  if (userIds.length > 0) await insertNotifications(sql, server, { day, eventId, userIds });
  if (userIds.length === chunk) return { webhookIds, last: userIds.at(-1) ?? null };
  await sql`update events set fanned_out_at = clock() where day = ${day} and id = ${eventId}`;
  return { webhookIds, last: null };
}
