import { one } from "../../database/rows.ts";
import type { Sql as Pool } from "postgres";
import type { Delivery, DeliverySummary, EventName, JsonText } from "@promptreg/core";
import { columns, type Fields, piece } from "../../database/columns.ts";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { Listed, Page } from "../../kernel/lists/page.ts";
import { cancelled, isWithdrawn } from "./drain.sql.ts";
import { privateSeenBy } from "../../kernel/accounts/ownership.ts";

const seesPrivate = privateSeenBy("w.user_id");

/** Names one delivery of one webhook. */
export interface DeliveryAddress {
  webhookId: string;
  deliveryId: string;
}

/** A delivery as the database prints it, and the bytes of the last answer, which may be anything. */
interface Printed {
  printed: string;
  excerpt: Buffer | null;
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Puts the excerpt, as text, into a printed delivery. NUL is replaced like invalid bytes: many JSON parsers fail on it. */
function withExcerpt<T extends DeliverySummary>({ printed, excerpt }: Printed): JsonText<T> {
  const text = excerpt && utf8.decode(excerpt).replaceAll("\0", "\ufffd");
  return `${printed.slice(0, -1)},"responseExcerpt":${JSON.stringify(text)}}`;
}

/**
 * Reads with a generic plan. For a long log PostgreSQL would plan each request, and over the partitions of 38 days that
 * takes ten times as long as the read.
 */
export const planned = <T>(sql: Pool, read: (sql: Sql) => Promise<T>): Promise<Awaited<T>> =>
  sql.begin(async (sql) => {
    await sql`set local plan_cache_mode = force_generic_plan`;
    return read(sql);
  }) as Promise<Awaited<T>>;

/** What lists show, from `deliveries d`, without the excerpt. */
const summary: Fields<Omit<DeliverySummary, "payload" | "responseExcerpt">> = {
  id: "d.id",
  webhookId: "d.webhook_id",
  eventId: "d.event_id",
  event: "d.event",
  status: "d.status",
  attempts: "d.attempts",
  maxAttempts: "d.max_attempts",
  nextAttemptAt: "iso(d.next_attempt_at)",
  responseStatus: "d.response_status",
  responseTimeMs: "d.response_time_ms",
  error: "d.error",
  redeliveryOf: "d.redelivery_of",
  createdAt: "iso(d.created_at)",
  completedAt: "iso(d.completed_at)",
};
/** The envelope. What was never sent, and may not be any more, has no data. */
const payload = piece`(
  select case when d.attempts = 0 and exists (
    select from webhooks w, prompts p
    where w.id = d.webhook_id and p.id = e.prompt_id and not (${seesPrivate}) and ${isWithdrawn}
  ) then json_build_object('id', e.id, 'event', e.name, 'createdAt', iso(e.created_at)) else convert_from(e.body, 'UTF8')::json end
  from events e where e.day = d.event_day and e.id = d.event_id)`;

type WithoutExcerpt<T extends DeliverySummary> = Omit<T, "responseExcerpt">;
const summaryColumns = columns<WithoutExcerpt<DeliverySummary>>(summary);
const payloadColumns = columns<WithoutExcerpt<DeliverySummary>>({ ...summary, payload });
const deliveryColumns = columns<WithoutExcerpt<Delivery>>({
  ...summary,
  payload,
  attemptLog: "d.attempt_log",
});

/** Without an answer there is no excerpt. */
const excerpt = piece`case when d.response_status is not null then d.response_excerpt end as excerpt`;

export async function selectDelivery(
  sql: Sql,
  { webhookId, deliveryId }: DeliveryAddress,
): Promise<JsonText<Delivery> | null> {
  const [row] = await sql<Printed[]>`
    select (select row_to_json(delivery)::text from (select ${deliveryColumns(sql)}) delivery) as printed,
      ${excerpt(sql)}
    from deliveries d where d.webhook_id = ${webhookId} and d.id = ${deliveryId}`;
  return row ? withExcerpt<Delivery>(row) : null;
}

/** What changes of a delivery of `webhooks w`. */
export const stateOfDelivery = (sql: Sql, id: string): Fragment => sql`(
  select json_build_array(d.status, d.attempts, d.next_attempt_at)::text from deliveries d
  where d.webhook_id = w.id and d.id = ${id})`;

/** A part of a log. */
export interface LogRequest {
  webhookId: string;
  status?: string | undefined;
  event?: string | undefined;
  isAscending: boolean;
  /** The id of a delivery. */
  newerThan: string | undefined;
  /** Only deliveries before this time. */
  settledUntil: string | undefined;
  withPayload: boolean;
  page: Page;
}

/**
 * A part of a log, by id, which is by time. `status <> 'succeeded'` stands beside the wanted status, which is a parameter:
 * only a constant lets a plan use the index that leaves successes out.
 */
export async function selectDeliveries(sql: Sql, request: LogRequest): Promise<Listed[]> {
  const { webhookId, status, event, isAscending, newerThan, settledUntil, withPayload, page } = request;
  const last = page.after?.[0];
  const rows = await sql<(Printed & Pick<Listed, "key">)[]>`
    select (select row_to_json(delivery)::text from (
      select ${withPayload ? payloadColumns(sql) : summaryColumns(sql)}
    ) delivery) as printed, ${excerpt(sql)}, json_build_array(d.id) as key
    from deliveries d
    where d.webhook_id = ${webhookId}
      ${status === undefined ? sql`` : sql`and d.status = ${status}`}
      ${status === undefined || status === "succeeded" ? sql`` : sql`and d.status <> 'succeeded'`}
      ${event === undefined ? sql`` : sql`and d.event = ${event}`}
      ${newerThan === undefined ? sql`` : sql`and d.id > ${newerThan}`}
      ${settledUntil === undefined ? sql`` : sql`and d.created_at < ${settledUntil}::timestamptz`}
      ${last === undefined ? sql`` : isAscending ? sql`and d.id > ${last}` : sql`and d.id < ${last}`}
    order by d.id ${isAscending ? sql`asc` : sql`desc`} limit ${page.take}`;
  return rows.map((row) => ({ item: withExcerpt(row), key: row.key }));
}

/**
 * The time before which every delivery is visible to readers. A delivery has the time of the statement that wrote it, and
 * becomes visible when its transaction commits: after a long transaction it stands before others that were read earlier.
 * No delivery that is still to come is older than the oldest transaction that has written. So whoever writes deliveries
 * must write, or lock a row, in an earlier statement. Ask this in a statement of its own, before the one that reads the
 * log: in one statement, a transaction could end between the two.
 */
export async function selectSettledUntil(sql: Sql): Promise<string> {
  const { at } = await one(sql<{ at: string }[]>`
    select iso(clock() - (now() - least(now(), min(xact_start)))) as at from pg_stat_activity
    where backend_xid is not null and datname = current_database()`);
  return at;
}

/** What decides whether a delivery may be repeated; null where there is none. */
export async function selectRepeatable(
  sql: Sql,
  { webhookId, deliveryId }: DeliveryAddress,
): Promise<{ event: EventName; isWithdrawn: boolean } | null> {
  const [row] = await sql<{ event: EventName; isWithdrawn: boolean }[]>`
    select d.event, (not (${seesPrivate(sql)}) and ${isWithdrawn(sql)}) is true as "isWithdrawn"
    from deliveries d join webhooks w on w.id = d.webhook_id
      left join events e on e.day = d.event_day and e.id = d.event_id left join prompts p on p.id = e.prompt_id
    where d.webhook_id = ${webhookId} and d.id = ${deliveryId}`;
  return row ?? null;
}

/** Writes a delivery that repeats another, and gives its id. */
export async function insertRedelivery(
  sql: Sql,
  { webhookId, deliveryId }: DeliveryAddress,
): Promise<string> {
  const { id } = await one(sql<{ id: string }[]>`
    insert into deliveries (day, event_day, event_id, event, webhook_id, epoch, max_attempts, redelivery_of,
      next_attempt_at)
    select (clock() at time zone 'UTC')::date, d.event_day, d.event_id, d.event, w.id,
      case d.epoch when -1 then -1 else w.epoch end, d.max_attempts, d.id, clock()
    from deliveries d join webhooks w on w.id = d.webhook_id
    where d.webhook_id = ${webhookId} and d.id = ${deliveryId}
    returning id`);
  return id;
}

/** Cancels a pending delivery; the result of an attempt under way is not recorded any more. */
export const cancelPending = (sql: Sql, { webhookId, deliveryId }: DeliveryAddress) => sql`
  update deliveries set ${cancelled(sql)}
  where webhook_id = ${webhookId} and id = ${deliveryId} and status = 'pending'`;
