import { limitTo } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { insertNotifications } from "../notifications/index.ts";
import { promptById } from "../prompts/index.ts";
import { isWithdrawn, wakeDrains } from "./drain.sql.ts";

/** Accounts per transaction, each with at most 20 webhooks. */
const chunk = 1_000;
const oneChunk = limitTo(chunk);
/** How many drains begin in this process without a job. */
const wokenHere = 50;

/** Former watches and filters are kept longer than any transaction lasts that can still commit an event of their time. */
const keptFormer = "1 hour";

type Server = Pick<ServerContext, "sql" | "publicUrl" | "mailer">;

/** An event as the job that fans it out names it. */
interface EventAddress {
  day: string;
  eventId: string;
}

/**
 * Writes a delivery for each webhook that an event concerned when it happened, and a notification for each account, and
 * wakes the drains. It can be interrupted anywhere and repeated: nothing is written twice.
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
    // After the commit: otherwise a drain that is just starting could look too early, and nobody would wake it again.
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

/** Whether `filter`, which may be a former one, lets event `e` through. */
const letsThrough = (sql: Sql, filter: Fragment): Fragment => sql`
  (${filter}.events is null or e.name = any (${filter}.events))
  and (${filter}.prompt_ids is null or e.prompt_id = any (${filter}.prompt_ids))`;

/** Whether event `e` happened in the period of `held`, which is over. */
const wasThen = (sql: Sql, held: Fragment): Fragment => sql`
  ${held}.since <= e.written_at and ${held}.until > e.written_at`;

async function writeChunk(
  sql: Sql,
  server: Server,
  { day, eventId, after }: EventAddress & { after: string },
): Promise<Written> {
  const [, [row]] = await Promise.all([
    // The lock marks this transaction as one that writes before its deliveries get ids: readers of a log wait for it.
    sql`select from events where day = ${day} and id = ${eventId} for update`,
    sql<{ userIds: string[]; ignoring: string[]; webhookIds: string[] }[]>`
    with event as (
      select e.day, e.id, e.name, e.prompt_id, e.account_ids, e.written_at,
        case when ${isWithdrawn(sql)} then '{}' else e.watch_levels end as watch_levels
      from events e left join lateral ${promptById(sql, sql`e.prompt_id`)} p on true
      where e.day = ${day} and e.id = ${eventId} and e.fanned_out_at is null
    ), accounts as materialized (
      select user_id from (
        (select unnest(account_ids) as user_id from event)
        union
        (
          select w.user_id from event e cross join lateral (
            select user_id from watches w
            where w.prompt_id = e.prompt_id and w.user_id > ${after}
              and w.level = any (e.watch_levels) and w.since <= e.written_at
            order by user_id ${oneChunk(sql)}
          ) w
        )
        union
        (
          select f.user_id from event e cross join lateral (
            select user_id from former_watches f
            where f.prompt_id = e.prompt_id and f.user_id > ${after}
              and f.level = any (e.watch_levels) and ${wasThen(sql, sql`f`)}
            order by user_id ${oneChunk(sql)}
          ) f
        )
      ) account
      where user_id > ${after} order by user_id ${oneChunk(sql)}
    ), written as (
      insert into deliveries (day, event_day, event_id, event, webhook_id, epoch, next_attempt_at)
      select e.day, e.day, e.id, e.name, w.id, w.epoch, clock()
      from event e, accounts a cross join lateral (
        select * from webhooks where user_id = a.user_id and deleted_at is null offset 0
      ) w
      where w.disabled_reason is null
        and case when w.since <= e.written_at then ${letsThrough(sql, sql`w`)}
          else exists (
            select from (select * from former_filters where webhook_id = w.id offset 0) f
            where f.epoch = w.epoch and ${wasThen(sql, sql`f`)} and ${letsThrough(sql, sql`f`)}
          ) end
      on conflict do nothing
      returning webhook_id
    )
    select coalesce((select array_agg(user_id order by user_id) from accounts), '{}') as "userIds",
      coalesce((select array_agg(webhook_id) from written), '{}') as "webhookIds",
      array(
        select a.user_id from event e, unnest(e.account_ids) a (user_id)
        where 'ignore' in (
          select w.level from watches w
          where w.prompt_id = e.prompt_id and w.user_id = a.user_id and w.since <= e.written_at
          union all
          select f.level from former_watches f
          where f.prompt_id = e.prompt_id and f.user_id = a.user_id and ${wasThen(sql, sql`f`)}
        )
      ) as ignoring`,
  ]);
  if (row === undefined) throw new Error("a statement without from gave no row");
  const { userIds, ignoring, webhookIds } = row;
  // An owner who ignores a prompt gets no notification of it, but their webhooks get deliveries.
  const notified = userIds.filter((id) => !ignoring.includes(id));
  if (notified.length > 0) await insertNotifications(sql, server, { day, eventId, userIds: notified });
  if (userIds.length === chunk) return { webhookIds, last: userIds.at(-1) ?? null };
  await sql`
    update events set fanned_out_at = clock() where day = ${day} and id = ${eventId} and fanned_out_at is null`;
  return { webhookIds, last: null };
}

/** Deletes former watches and filters, once no event that is still to be fanned out can be as old. */
export async function forgetFormer(sql: Sql): Promise<void> {
  for (const table of ["former_filters", "former_watches"]) {
    await sql`
      delete from ${sql(table)}
      where until < least(clock(), (select min(created_at) from events where fanned_out_at is null))
        - ${keptFormer}::interval`;
  }
}
