import type { Sql } from "../../database/sql.ts";
import type { ServerContext } from "../../kernel/server-context.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import { notifyDisabled } from "../notifications/index.ts";
import { type Claimed, type Lease, leaseSeconds } from "./drain.sql.ts";
import type { AttemptOutcome } from "./outcome.ts";

/** Seconds from each attempt to the next: eight attempts over about a day. */
export const gapsSeconds = [60, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 8 * 3600, 8 * 3600];
export const failuresToDisable = 15;
/** An endpoint whose last attempt took this long is slow. */
const slowMs = 3_000;

/** An attempt that ended. */
export interface Attempt {
  delivery: Claimed;
  outcome: AttemptOutcome;
  /** By `performance.now()`. */
  startedAt: number;
}

/**
 * Records attempts in the order of their ends, and counts them on the webhook, unless the lease was lost. A retry records
 * none twice, because an attempt knows how many came before it. Deliveries that were cancelled meanwhile stay cancelled and
 * do not count. Gives whether the endpoint is slow.
 */
export async function record(
  server: ServerContext,
  lease: Lease,
  attempts: readonly Attempt[],
): Promise<boolean> {
  // Only a failure disables, and its owner is told in the same transaction.
  const state = attempts.every(({ outcome }) => outcome.ok)
    ? await writeAttempts(server.sql, lease, attempts)
    : await server.sql.begin(async (sql) => {
        const written = await writeAttempts(sql, lease, attempts);
        if (written?.isDisabled) await notifyDisabled(sql, server, lease);
        return written;
      });
  if (state && server.metrics) for (const attempt of attempts) countAttempt(server.metrics, attempt);
  if (state?.isDisabled)
    server.log.warn({ webhookId: lease.webhookId }, "a webhook was disabled by failures");
  return state?.isSlow ?? false;
}

function countAttempt(
  metrics: Metrics,
  { delivery: { attempts, event, ageSeconds }, outcome }: Attempt,
): void {
  metrics.countAttempt({
    attempt: attempts + 1,
    outcome: outcome.ok ? "succeeded" : (outcome.error?.type ?? "failed"),
    afterSeconds: attempts === 0 && event !== "ping" ? ageSeconds : null,
  });
}

/**
 * One statement that locks the webhook before its deliveries, like everything that changes both, and uses the row it
 * locked. The planner expects ten rows of `unnest`, and finds each by its key. Of JSON it expects a hundred, and would scan
 * a whole day; by the index of `pending` it would read all pending rows.
 */
async function writeAttempts(
  sql: Sql,
  { webhookId, token }: Lease,
  attempts: readonly Attempt[],
): Promise<{ isDisabled: boolean; isSlow: boolean } | undefined> {
  const columns = columnsOf(attempts);
  const [state] = await sql<{ isDisabled: boolean; isSlow: boolean }[]>`
    with held as materialized (
      select * from webhooks where id = ${webhookId} and lease_token = ${token} for no key update
    ), ended as (
      select *, error is null as ok
      from unnest(${columns.day}::date[], ${columns.id}::text[], ${columns.attempts}::int[], ${columns.status}::int[],
        ${columns.ms}::int[], ${columns.ageMs}::float8[], ${columns.excerpt}::text[], ${columns.error}::text[])
        with ordinality as r (day, id, attempts, status, ms, age_ms, excerpt, error, nth)
    ), written as (
      update deliveries d set attempts = d.attempts + 1,
        status = case when r.ok then 'succeeded' when d.attempts + 1 >= d.max_attempts then 'failed' else d.status end,
        next_attempt_at = case when not r.ok and d.attempts + 1 < d.max_attempts
          then clock() + make_interval(secs => (${gapsSeconds}::float8[])[d.attempts + 1]) end,
        completed_at = case when r.ok or d.attempts + 1 >= d.max_attempts then clock() end,
        response_status = r.status, response_time_ms = r.ms, response_excerpt = decode(r.excerpt, 'base64'),
        error = r.error,
        attempt_log = d.attempt_log || jsonb_build_object('at', iso(clock() - make_interval(secs => r.age_ms / 1000)),
          'responseStatus', r.status, 'responseTimeMs', r.ms, 'error', r.error)
      from ended r, held
      where d.day = r.day and d.id = r.id and d.attempts = r.attempts and d.epoch in (-1, held.epoch)
        and d.completed_at is null
      returning r.nth, r.ok, r.error, d.event
    ), counted as (
      select held.*, has_any, has_success, in_a_row,
        disabled_reason is null and in_a_row >= ${failuresToDisable} as disables
      from held cross join (
        select count(*) > 0 as has_any, coalesce(bool_or(ok), false) as has_success,
          count(*) filter (where nth > coalesce((select max(nth) from written where ok and event <> 'ping'), 0)
            and error not like 'secret: %')::int as failures
        from written where event <> 'ping'
      ) new cross join lateral (
        select case when has_success then 0 else consecutive_failures end + failures as in_a_row
      ) sum
    )
    update webhooks w set leased_until = clock() + make_interval(secs => ${leaseSeconds}),
      is_slow = (select ms >= ${slowMs} from ended order by nth desc limit 1),
      consecutive_failures = c.in_a_row,
      last_delivery_at = case when has_any then clock() else c.last_delivery_at end,
      last_success_at = case when has_success then clock() else c.last_success_at end,
      disabled_reason = case when disables then 'failures' else c.disabled_reason end,
      epoch = c.epoch + disables::int, revision = c.revision + disables::int,
      updated_at = case when disables then clock() else c.updated_at end
    from counted c where w.id = c.id
    returning disables as "isDisabled", w.is_slow as "isSlow"`;
  return state;
}

const columnsOf = (attempts: readonly Attempt[]) => ({
  day: attempts.map(({ delivery }) => delivery.day),
  id: attempts.map(({ delivery }) => delivery.id),
  attempts: attempts.map(({ delivery }) => delivery.attempts),
  status: attempts.map(({ outcome }) => outcome.responseStatus),
  ms: attempts.map(({ outcome }) => outcome.responseTimeMs),
  ageMs: attempts.map(({ startedAt }) => performance.now() - startedAt),
  excerpt: attempts.map(({ outcome }) => Buffer.from(outcome.responseExcerpt).toString("base64")),
  error: attempts.map(({ outcome: { error } }) => error && `${error.type}: ${error.message}`),
});
