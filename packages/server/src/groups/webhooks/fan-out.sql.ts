import type { EventAbout } from "@promptreg/core";
import { limitTo, type Piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import { asApiError } from "../../kernel/failures/as-api-error.ts";
import type { Failures } from "../../kernel/failures/failures.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import { insertNotifications } from "../notifications/index.ts";
import { promptById } from "../prompts/index.ts";
import { isWithdrawn, wakeDrains } from "./drain.sql.ts";

/** Events in one transaction that nobody has begun; with them goes one that others have left to do. */
const eventsAtOnce = 20;
/** Accounts in one transaction, each with at most 20 webhooks: of a new event, and of one that goes to many. */
const [firstAccounts, moreAccounts] = [50, 1_000];
const oneShare = limitTo(moreAccounts);
/** How many drains begin in this process without a job. */
const wokenHere = 50;

/** No transaction that has still to commit an event lasts as long. What is older is looked for only once in a while. */
const recent = "2 minutes";
/** Former watches and filters are kept longer than any transaction lasts that can still commit an event of their time. */
const keptFormer = "1 hour";

/** How many events are locked at once: the usual number, or a single one after a failure. */
const limits: Record<"many" | "one", { fresh: Piece; all: Piece }> = {
  many: { fresh: limitTo(eventsAtOnce), all: limitTo(eventsAtOnce + 1) },
  one: { fresh: limitTo(1), all: limitTo(1) },
};

type Server = Pick<ServerContext, "sql" | "publicUrl" | "mailer"> & { failures: Pick<Failures, "report"> };
type Wake = (webhookIds: readonly string[]) => Promise<void>;

/** An event that this transaction has locked. */
interface LockedEvent {
  day: string;
  id: string;
}

/** What was written of an event. */
interface Written extends LockedEvent {
  name: string;
  promptId: string | null;
  createdAt: string;
  data: EventAbout;
  /** The accounts that are to be notified. */
  userIds: string[];
  /** The webhooks that got a delivery. */
  webhookIds: string[];
  isFinished: boolean;
}

/**
 * Fans out the events that wait: writes a delivery for each webhook that an event concerned when it happened, and a notification
 * for each account, and wakes the drains. It can be interrupted anywhere and run in several processes: each transaction
 * locks its events, and they say how far they have come.
 */
export function openFanOut(server: Server, wake: Wake): (options: { isComplete: boolean }) => Promise<void> {
  const { sql, failures } = server;
  /** Events that failed, until the next complete run. */
  const failed = new Set<string>();
  return async ({ isComplete }) => {
    if (isComplete) failed.clear();
    let limit: keyof typeof limits = "many";
    for (let isMore = true; isMore; ) {
      let locked: LockedEvent[] = [];
      try {
        const written: Written[] = await sql.begin(async (tx) => {
          locked = await lockEvents(tx, { isComplete, limit, except: [...failed] });
          return writeShare(tx, server, locked);
        });
        if (written.length === 0) return;
        // After the commit: otherwise a drain that is just starting could look too early, and nobody would wake it again.
        const webhookIds = [...new Set(written.flatMap((event) => event.webhookIds))];
        await wakeDrains(sql, webhookIds.splice(wokenHere));
        await wake(webhookIds);
        isMore =
          written.length >= (limit === "one" ? 1 : eventsAtOnce) || written.some((one) => !one.isFinished);
      } catch (error) {
        const [first, ...others] = locked;
        if (first === undefined || asApiError(error).code === "unavailable") throw error;
        if (others.length === 0) {
          failed.add(first.id);
          failures.report(error, { operation: "fan-out" });
        }
        limit = "one";
      }
    }
  };
}

/**
 * Locks events that wait, but not those that another process has locked. The locks mark this transaction as one that writes before
 * its deliveries get ids: readers of a log wait for it.
 */
async function lockEvents(
  sql: Sql,
  { isComplete, limit, except }: { isComplete: boolean; limit: keyof typeof limits; except: string[] },
): Promise<LockedEvent[]> {
  const waiting = (state: Fragment, most: Piece) => sql`
    select day, id, created_at from events
    where fanned_out_at is null and ${state} and id <> all (${except}) ${
      isComplete
        ? sql``
        : sql`
      and day >= ((clock() - ${recent}::interval) at time zone 'UTC')::date and created_at >= clock() - ${recent}::interval`
    }
    order by created_at ${most(sql)} for update skip locked`;
  return sql<LockedEvent[]>`
    with fresh as (${waiting(sql`fanned_out_to = ''`, limits[limit].fresh)}),
      begun as (${waiting(sql`fanned_out_to > ''`, limits.one.fresh)})
    select day::text, id from (select * from fresh union all select * from begun) waiting ${limits[limit].all(sql)}`;
}

/** Whether `filter`, which may be a former one, lets event `e` through. */
const letsThrough = (sql: Sql, filter: Fragment): Fragment => sql`
  (${filter}.events is null or e.name = any (${filter}.events))
  and (${filter}.prompt_ids is null or e.prompt_id = any (${filter}.prompt_ids))`;

/** Whether event `e` happened in the period of `held`, which is over. */
const wasThen = (sql: Sql, held: Fragment): Fragment => sql`
  ${held}.since <= e.written_at and ${held}.until > e.written_at`;

/** Writes what the next accounts of some events get, and how far these have come. */
async function writeShare(sql: Sql, server: Server, events: readonly LockedEvent[]): Promise<Written[]> {
  if (events.length === 0) return [];
  /** The next watchers, present or former, of event `e`. */
  const watching = (table: Fragment, condition: Fragment) => sql`(
    select user_id from (
      select user_id from ${table} w
      where w.prompt_id = e.prompt_id and w.user_id > e.fanned_out_to and w.level = any (e.watch_levels) and ${condition}
      order by user_id ${oneShare(sql)}
    ) w limit e.share)`;
  const written = await sql<Written[]>`
    with event as materialized (
      select row_number() over (order by e.created_at desc) - 1 as later,
        e.day, e.id, e.name, e.prompt_id, e.account_ids, e.created_at, e.written_at, e.body, e.fanned_out_to, e.notified_ids,
        case when ${isWithdrawn(sql)} then '{}' else e.watch_levels end as watch_levels,
        case e.fanned_out_to when '' then ${firstAccounts}::int else ${moreAccounts}::int end as share
      from unnest(${events.map(({ day }) => day)}::date[], ${events.map(({ id }) => id)}::text[]) x (day, id)
        cross join lateral (select * from events where day = x.day and id = x.id offset 0) e
        left join lateral ${promptById(sql, sql`e.prompt_id`)} p on true
    ), accounts as materialized (
      select e.id, a.user_id from event e cross join lateral (
        select user_id from (
          (select unnest(e.account_ids) as user_id)
          union ${watching(sql`watches`, sql`w.since <= e.written_at`)}
          union ${watching(sql`former_watches`, wasThen(sql, sql`w`))}
        ) account
        where user_id > e.fanned_out_to order by user_id limit e.share
      ) a
    ), sent as (
      insert into deliveries (day, event_day, event_id, event, webhook_id, epoch, next_attempt_at)
      -- In the order in which they happened: what is due first is sent first.
      select e.day, e.day, e.id, e.name, w.id, w.epoch, clock() - e.later * interval '1 microsecond'
      from event e join accounts a on a.id = e.id cross join lateral (
        select * from webhooks where user_id = a.user_id and deleted_at is null offset 0
      ) w
      where w.disabled_reason is null
        and case when w.since <= e.written_at then ${letsThrough(sql, sql`w`)}
          else exists (
            select from (select * from former_filters where webhook_id = w.id offset 0) f
            where f.epoch = w.epoch and ${wasThen(sql, sql`f`)} and ${letsThrough(sql, sql`f`)}
          ) end
      on conflict do nothing
      returning event_id, webhook_id
    ), reached as materialized (
      select e.day, e.id, count(a.user_id) < e.share as is_finished, max(a.user_id) as last
      from event e left join accounts a on a.id = e.id group by e.day, e.id, e.share
    ), noted as (
      update events e set fanned_out_at = case when r.is_finished then clock() end, fanned_out_to = coalesce(r.last, e.fanned_out_to)
      from reached r where e.day = r.day and e.id = r.id
    )
    select e.day::text, e.id, e.name, e.prompt_id as "promptId", iso(e.created_at) as "createdAt",
      convert_from(e.body, 'UTF8')::json -> 'data' as data, r.is_finished as "isFinished",
      array(select webhook_id from sent where event_id = e.id) as "webhookIds",
      -- An owner who ignores a prompt gets no notification of it, but their webhooks get deliveries.
      array(
        select a.user_id from accounts a where a.id = e.id and a.user_id <> all (e.notified_ids) and not (a.user_id = any (e.account_ids) and 'ignore' in (
          select w.level from watches w
          where w.prompt_id = e.prompt_id and w.user_id = a.user_id and w.since <= e.written_at
          union all
          select w.level from former_watches w
          where w.prompt_id = e.prompt_id and w.user_id = a.user_id and ${wasThen(sql, sql`w`)}
        ))
      ) as "userIds"
    from event e join reached r on r.id = e.id`;
  await insertNotifications(sql, server, written);
  return written;
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
