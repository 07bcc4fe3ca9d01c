import type { SubscribableEvent, Webhook } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Fragment, Sql } from "../../database/sql.ts";
import type { Listed, Page } from "../../kernel/page.ts";

/** What an owner sets, and what setting it takes back: as it is stored. */
export interface Settings {
  url: string;
  events: SubscribableEvent[] | null;
  promptIds: string[] | null;
  description: string | null;
  disabledReason: "owner" | "failures" | null;
  consecutiveFailures: number;
}

/** A signing secret as it is stored. */
export interface SealedSecret {
  encrypted: Buffer;
  keyId: string;
  /** Its last four characters. */
  hint: string;
}

export async function countWebhooks(sql: Sql, userId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from webhooks where user_id = ${userId} and deleted_at is null`;
  return row?.count ?? 0;
}

/**
 * The prompts an account may filter by, out of those named: its own, and those it watches and can see. By the names
 * that were given, of which any may be a former one.
 */
export async function selectFilterable(
  sql: Sql,
  { userId, refs }: { userId: string; refs: readonly string[] },
): Promise<Map<string, string>> {
  const rows = await sql<{ id: string; ref: string }[]>`
    select p.id, ref
    from unnest(${[...refs]}::text[]) ref
      cross join lateral (
        select id from users where handle = split_part(ref, '/', 1)
        union all select user_id from former_handles where handle = split_part(ref, '/', 1)
      ) account
      cross join lateral (
        select id from prompts where owner_id = account.id and slug = split_part(ref, '/', 2)
        union all select prompt_id from former_slugs where owner_id = account.id and slug = split_part(ref, '/', 2)
      ) found
      join prompts p on p.id = found.id and p.deleted_at is null
      left join watches w on w.prompt_id = p.id and w.user_id = ${userId}
    where p.owner_id = ${userId}
      or (w.level <> 'ignore' and p.visibility <> 'private' and p.status = 'published')`;
  return new Map(rows.map(({ id, ref }) => [ref, id]));
}

export async function insertWebhook(
  sql: Sql,
  { userId, settings, secret }: { userId: string; settings: Settings; secret: SealedSecret },
): Promise<string> {
  const { url, events, promptIds, description, disabledReason } = settings;
  const [row] = await sql<{ id: string }[]>`
    insert into webhooks (user_id, url, events, prompt_ids, description, disabled_reason, secret_encrypted,
      secret_key_id, secret_hint)
    values (${userId}, ${url}, ${events}, ${promptIds}, ${description}, ${disabledReason}, ${secret.encrypted},
      ${secret.keyId}, ${secret.hint})
    returning id`;
  if (row === undefined) throw new Error("a webhook was written but not returned");
  return row.id;
}

/**
 * Writes the settings; disabling raises the epoch, and what waited is dead for good. What an enabled webhook asked for is
 * kept for events that happened then; of two changes in one millisecond the second ends what never held.
 */
export const updateWebhook = (
  sql: Sql,
  id: string,
  { url, events, promptIds, description, disabledReason, consecutiveFailures }: Settings,
) => {
  const isNew = sql`
    (events, prompt_ids, disabled_reason is null)
      is distinct from (${events}::text[], ${promptIds}::text[], ${disabledReason}::text is null)`;
  return sql`
  with former as (
    insert into former_filters (webhook_id, epoch, since, until, events, prompt_ids)
    select id, epoch, since, clock(), events, prompt_ids from webhooks
    where id = ${id} and disabled_reason is null and ${isNew}
    on conflict do nothing
  )
  update webhooks set url = ${url}, events = ${events}, prompt_ids = ${promptIds}, description = ${description},
    since = case when ${isNew} then clock() else since end,
    epoch = epoch + (disabled_reason is null and ${disabledReason}::text is not null)::int,
    disabled_reason = ${disabledReason}, consecutive_failures = ${consecutiveFailures},
    revision = revision + 1, updated_at = clock()
  where id = ${id}`;
};

export const replaceSecret = (sql: Sql, id: string, { encrypted, keyId, hint }: SealedSecret) => sql`
  update webhooks set secret_encrypted = ${encrypted}, secret_key_id = ${keyId}, secret_hint = ${hint},
    revision = revision + 1, updated_at = clock()
  where id = ${id}`;

/** Hides a webhook and its log at once, whatever their size. */
export const hideWebhook = (sql: Sql, id: string) => sql`
  update webhooks set deleted_at = clock() where id = ${id}`;

/**
 * The JSON of a webhook, from `webhooks w`. Of the prompts it is bound to it names those that its account can see now:
 * one that turned private may have been renamed since, which is nobody else's business.
 */
export const webhookJson = (sql: Sql): Fragment => sql`
  (select row_to_json(webhook) from (
    select w.id, w.url, w.events,
      case when w.prompt_ids is not null then (
        select coalesce(json_agg(o.handle || '/' || p.slug order by o.handle, p.slug), '[]')
        from prompts p join users o on o.id = p.owner_id
        where p.id = any (w.prompt_ids) and p.deleted_at is null
          and (p.owner_id = w.user_id or (p.visibility <> 'private' and p.status = 'published'))
      ) end as prompts,
      w.description, w.disabled_reason is null as active,
      case when w.disabled_reason is null then 'active' else 'disabled' end as status,
      w.disabled_reason as "disabledReason", w.consecutive_failures as "consecutiveFailures",
      w.secret_hint as "secretHint", iso(w.last_delivery_at) as "lastDeliveryAt",
      iso(w.last_success_at) as "lastSuccessAt", iso(w.created_at) as "createdAt", iso(w.updated_at) as "updatedAt"
  ) webhook)`;

export async function selectWebhook(sql: Sql, id: string): Promise<Webhook> {
  const [row] = await sql<{ webhook: Webhook }[]>`
    select ${webhookJson(sql)} as webhook from webhooks w where w.id = ${id}`;
  // A read holds no lock: the worker may have removed it this moment.
  if (row === undefined) throw apiError("not_found");
  return row.webhook;
}

/** The webhooks of an account, newest first. */
export const selectWebhooks = (
  sql: Sql,
  { userId, page: { take, after } }: { userId: string; page: Page },
): Promise<Listed[]> => sql<Listed[]>`
  select ${webhookJson(sql)}::text as item, json_build_array(w.id) as key
  from webhooks w
  where w.user_id = ${userId} and w.deleted_at is null ${after === null ? sql`` : sql`and w.id < ${after[0] ?? null}`}
  order by w.id desc limit ${take}`;
