import type { Sql as Pool } from "postgres";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { AttemptOutcome } from "./outcome.ts";

/** A delivery that this process may attempt, until its lease runs out. */
export interface Claimed {
  day: string;
  id: string;
  event: string;
  leaseToken: string;
  body: Uint8Array;
}

/** Where deliveries of a webhook go. Read with every batch, so that a new secret or address holds at once. */
export interface Destination {
  url: string;
  secret: Uint8Array;
}

/** What a delivery that is given up becomes. A result under its lease is not recorded any more. */
export const cancelled = (sql: Sql): Fragment => sql`
  status = 'cancelled', next_attempt_at = null, lease_token = null, leased_until = null, completed_at = clock()`;

/**
 * Gives up what a webhook must not send any more: deliveries from before it was last disabled. A hundred thousand take
 * some seconds, which is as long as a request may last; drains do the rest, and send none of it. Must run under the
 * webhook's row lock.
 */
export const cancelStale = (sql: Sql, webhookId: string) => sql`
  update deliveries d set ${cancelled(sql)}
  from (
    select d.day, d.id from deliveries d join webhooks w on w.id = d.webhook_id
    where d.webhook_id = ${webhookId} and d.status = 'pending' and d.event <> 'ping' and d.epoch < w.epoch
    limit 100000
  ) stale
  where d.day = stale.day and d.id = stale.id`;

/** What a drain has to send next, and to where. */
export interface Batch {
  destination: Destination;
  deliveries: Claimed[];
}

/**
 * Takes due deliveries under a lease, unless a drain of the same webhook holds some: every event wakes a drain, and
 * an endpoint that hangs would else fill all slots of the worker with its own. Under the webhook's row lock, so that
 * nothing is taken after the answer to whoever disabled, deleted or changed it. Null for a webhook that is deleted.
 */
export const claim = (
  sql: Pool,
  { webhookId, limit, leaseSeconds }: { webhookId: string; limit: number; leaseSeconds: number },
): Promise<Batch | null> =>
  sql.begin(async (sql) => {
    const [webhook] = await sql<(Destination & { epoch: number })[]>`
      select url, secret_encrypted as secret, epoch from webhooks
      where id = ${webhookId} and deleted_at is null for no key update`;
    if (webhook === undefined) return null;
    const deliveries = await sql<Claimed[]>`
      with due as (
        select day, id from deliveries
        where webhook_id = ${webhookId} and status = 'pending' and next_attempt_at <= clock()
          and (event = 'ping' or epoch = ${webhook.epoch})
          and not exists (
            select from deliveries held
            where held.webhook_id = ${webhookId} and held.status = 'pending' and held.leased_until > clock())
        order by next_attempt_at, id limit ${limit}
        for update skip locked
      ), leased as (
        update deliveries d
        set lease_token = gen_random_uuid(), leased_until = clock() + make_interval(secs => ${leaseSeconds})
        from due where d.day = due.day and d.id = due.id
        returning d.*
      )
      select leased.day::text, leased.id, leased.event, leased.lease_token as "leaseToken", e.body
      from leased join events e on e.day = leased.event_day and e.id = leased.event_id
      order by leased.id`;
    if (deliveries.length === 0) await cancelStale(sql, webhookId);
    return { destination: webhook, deliveries };
  });

/** One attempt as it is recorded. */
export interface Attempt {
  webhookId: string;
  delivery: Claimed;
  outcome: AttemptOutcome;
  /** Seconds from each attempt to the next: after the last of them there is none. */
  gapsSeconds: readonly number[];
  /** Failures in a row, over all deliveries, that disable a webhook. */
  failuresToDisable: number;
}

/**
 * Records an attempt, unless its lease was lost to another process in the meantime, and counts it on the webhook.
 * The count moves under the webhook's row lock, so that one failure and no other is the one that disables it.
 */
export async function record(sql: Sql, attempt: Attempt): Promise<void> {
  const { webhookId, delivery, outcome, gapsSeconds, failuresToDisable } = attempt;
  const error = outcome.error && `${outcome.error.type}: ${outcome.error.message}`;
  // Before its deliveries, like everybody who changes both.
  await sql`select from webhooks where id = ${webhookId} for no key update`;
  const [written] = await sql`
    update deliveries set attempts = attempts + 1, lease_token = null, leased_until = null,
      status = case when ${outcome.ok} then 'succeeded' when attempts + 1 >= max_attempts then 'failed' else status end,
      next_attempt_at = case when not ${outcome.ok} and attempts + 1 < max_attempts
        then clock() + make_interval(secs => (${[...gapsSeconds]}::float8[])[attempts + 1]) end,
      completed_at = case when ${outcome.ok} or attempts + 1 >= max_attempts then clock() end,
      response_status = ${outcome.responseStatus}, response_time_ms = ${outcome.responseTimeMs},
      response_excerpt = ${outcome.responseExcerpt}, error = ${error},
      attempt_log = attempt_log || jsonb_build_object('at', iso(clock()), 'responseStatus', ${outcome.responseStatus}::int,
        'responseTimeMs', ${outcome.responseTimeMs}::int, 'error', ${error}::text)
    where day = ${delivery.day} and id = ${delivery.id} and lease_token = ${delivery.leaseToken}
    returning id`;
  if (written === undefined || delivery.event === "ping") return;
  if (outcome.ok) {
    await sql`
      update webhooks set consecutive_failures = 0, last_delivery_at = clock(), last_success_at = clock()
      where id = ${webhookId}`;
    return;
  }
  await sql`
    update webhooks set consecutive_failures = consecutive_failures + 1, last_delivery_at = clock(),
      epoch = epoch + disables::int, revision = revision + disables::int,
      disabled_reason = case when disables then 'failures' else disabled_reason end,
      updated_at = case when disables then clock() else updated_at end
    from (
      select disabled_reason is null and consecutive_failures + 1 >= ${failuresToDisable} as disables
      from webhooks where id = ${webhookId}
    ) count
    where id = ${webhookId}`;
}

/** Wakes the drain of a webhook when its next delivery is due and none is held, unless it is to wake before that. */
export const wakeDrain = (sql: Sql, webhookId: string) => sql`
  with next as (
    select now() + (greatest(min(next_attempt_at), max(leased_until)) - clock()) as at
    from deliveries where webhook_id = ${webhookId} and status = 'pending'
  )
  select graphile_worker.add_job('drain', json_build_object('webhookId', ${webhookId}::text), job_key := ${webhookId},
    run_at := at)
  from next where at is not null and not exists (
    select from graphile_worker.jobs where key = ${webhookId} and locked_at is null and run_at <= at)`;
