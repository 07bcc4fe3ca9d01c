import type { Fragment, Sql } from "../../database/sql.ts";
import { privateSeenBy } from "../../kernel/accounts/ownership.ts";

const seesPrivate = privateSeenBy("w.user_id");

/** Well over the ten seconds of an attempt. Every record renews the lease. */
export const leaseSeconds = 30;
const testsAtOnce = 10;
/** Takes about a second, during which changes of the webhook wait. */
const staleAtOnce = 10_000;
const webhooksPerJob = 50;

/** A drain's lease of its webhook. Only the current token may record. */
export interface Lease {
  webhookId: string;
  token: string;
}

/** What decides whether a webhook gets a slot. */
export interface Endpoint {
  userId: string;
  /** Whether its last attempt took long. */
  isSlow: boolean;
}

/** A webhook as a drain leases it. */
export interface Held extends Endpoint {
  /** Failures in a row. */
  failures: number;
  /** Whether it succeeded the last time, and soon. */
  isTrusted: boolean;
  /** Whether there is something to give up. */
  hasStale: boolean;
}

/** A delivery that is to be attempted now, and where to. Read with each, so that a new secret or address holds at once. */
export interface Claimed {
  day: string;
  id: string;
  event: string;
  attempts: number;
  body: Uint8Array;
  /** Of the request that caused the event, if that was traced. */
  traceparent: string | null;
  url: string;
  secret: Uint8Array;
  /** Whether the account of the webhook may not be told of it any more. */
  isWithdrawn: boolean;
  /** How long after its event it was claimed; null for a redelivery. */
  ageSeconds: number | null;
}

/**
 * Whether event `e` is about a prompt `p` that turned private, or was deleted, since: nobody but its owner is told of it
 * any more, also when it turns public again. An event of the same millisecond may have been before.
 */
export const isWithdrawn = (sql: Sql): Fragment => sql`
  (p.visibility = 'private' or p.deleted_at is not null or e.written_at <= p.withdrawn_at) is true`;

/**
 * When something is due next to a webhook `w`: of its current epoch, or of the tests, which have none (-1). By `min` and
 * never by `exists`, for which PostgreSQL reads whatever is pending once one webhook has most of that.
 */
const nextOf = (sql: Sql, epoch: Fragment): Fragment => sql`(
  select min(next_attempt_at) from deliveries
  where webhook_id = w.id and status = 'pending' and epoch = ${epoch})`;

/** Whether something does not wait for a webhook `w` any more: deliveries from before it was last disabled. */
const hasStale = (sql: Sql): Fragment => sql`coalesce((
  select min(epoch) from deliveries where webhook_id = w.id and status = 'pending' and epoch >= 0) < w.epoch, false)`;

/** Of some webhooks. Nobody gets a lease of one that was deleted. */
export const endpointsOf = (sql: Sql, webhookIds: readonly string[]) => sql<(Endpoint & { id: string })[]>`
  select id, user_id as "userId", is_slow as "isSlow" from webhooks
  where id = any (${[...webhookIds]})`;

/** Leases a webhook that has something to do. Null if it has nothing, or another process has the lease. */
export async function acquire(sql: Sql, { webhookId, token }: Lease): Promise<Held | null> {
  const [held] = await sql<Held[]>`
    update webhooks w set lease_token = ${token}, leased_until = clock() + make_interval(secs => ${leaseSeconds})
    where w.id = ${webhookId} and w.deleted_at is null and (w.lease_token is null or w.lease_token = ${token} or w.leased_until <= clock())
      and (least(${nextOf(sql, sql`w.epoch`)}, ${nextOf(sql, sql`-1`)}) <= clock() or ${hasStale(sql)})
    returning w.user_id as "userId", w.is_slow as "isSlow", w.consecutive_failures as failures,
      w.last_success_at is not null and w.consecutive_failures = 0 and not w.is_slow as "isTrusted",
      ${hasStale(sql)} as "hasStale"`;
  return held ?? null;
}

/** What is due next and was not taken already. Pings only if asked for. */
export const take = (
  sql: Sql,
  { webhookId, token }: Lease,
  { limit, except, withTests }: { limit: number; except: string[]; withTests: boolean },
): Promise<Claimed[]> => {
  const due = (epoch: Fragment, most: number) => sql`(
    select * from deliveries
    where webhook_id = w.id and status = 'pending' and epoch = ${epoch} and next_attempt_at <= clock()
      and id <> all (${except})
    order by next_attempt_at, id limit ${most})`;
  return sql<Claimed[]>`
    select d.day::text, d.id, d.event, d.attempts, e.body, e.traceparent, w.url, w.secret_encrypted as secret,
      not (${seesPrivate(sql)}) and ${isWithdrawn(sql)} as "isWithdrawn",
      case when d.redelivery_of is null then extract(epoch from clock() - e.created_at)::float8 end as "ageSeconds"
    from webhooks w
      cross join lateral (
        ${due(sql`w.epoch`, limit)} ${withTests ? sql`union all ${due(sql`-1`, testsAtOnce)}` : sql``}
      ) d
      join events e on e.day = d.event_day and e.id = d.event_id
      left join prompts p on p.id = e.prompt_id
    where w.id = ${webhookId} and w.lease_token = ${token} and w.deleted_at is null`;
};

/**
 * Releases a webhook, and schedules its wake for when its next attempt is due; under the lease, so that nobody else can
 * move it. What is due already needs no job if the webhook waits for a slot here.
 */
export const release = (sql: Sql, { webhookId, token }: Lease, { waitsHere }: { waitsHere: boolean }) => sql`
  with next as (
    select ${nextOf(sql, sql`w.epoch`)} as at from webhooks w where w.id = ${webhookId} and w.deleted_at is null
  ), woken as (
    select add_job('drain', json_build_object('webhookIds', json_build_array(${webhookId}::text)),
      job_key := ${webhookId}, run_at := now() + (at - clock()))
    from next where at > ${waitsHere ? sql`clock()` : sql`'-infinity'`}
  )
  update webhooks set lease_token = null, leased_until = null
  where id = ${webhookId} and lease_token = ${token} and (select count(*) from woken) >= 0`;

/** How a delivery is cancelled. The result of an attempt under way is not recorded any more. */
export const cancelled = (sql: Sql): Fragment => sql`
  status = 'cancelled', next_attempt_at = null, completed_at = clock()`;

/** Cancels what a webhook must not send any more, up to a limit, and gives the count. Takes its row lock. */
export async function cancelStale(
  sql: Sql,
  webhookId: string,
  { limit = staleAtOnce }: { limit?: number } = {},
): Promise<number> {
  const [, { count }] = await Promise.all([
    sql`select from webhooks where id = ${webhookId} for no key update`,
    sql`
      update deliveries d set ${cancelled(sql)}
      from (
        select d.day, d.id from webhooks w
          join deliveries d on d.webhook_id = w.id and d.status = 'pending' and d.epoch >= 0 and d.epoch < w.epoch
        where w.id = ${webhookId} limit ${limit}
      ) dead
      where d.day = dead.day and d.id = dead.id`,
  ]);
  return count;
}

/** Cancels deliveries of a webhook, unless they ended meanwhile. Takes its row lock. */
export const giveUp = (
  sql: Sql,
  webhookId: string,
  deliveries: readonly Pick<Claimed, "day" | "id">[],
): Promise<unknown> =>
  Promise.all([
    sql`select from webhooks where id = ${webhookId} for no key update`,
    sql`
      update deliveries d set ${cancelled(sql)}
      from unnest(${deliveries.map(({ day }) => day)}::date[], ${deliveries.map(({ id }) => id)}::text[]) dead (day, id)
      where d.day = dead.day and d.id = dead.id and d.completed_at is null`,
  ]);

/** Has the worker check what is due to each of these webhooks. */
export const wakeDrains = (sql: Sql, webhookIds: readonly string[]) => sql`
  select add_job('drain', json_build_object('webhookIds', json_agg(id)))
  from unnest(${[...webhookIds]}::text[]) with ordinality given (id, nth) group by (nth - 1) / ${webhooksPerJob}`;
