import { one } from "../../database/rows.ts";
import type { SubscribableEvent, Webhook } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { columns, piece } from "../../database/columns.ts";
import type { Sql } from "../../database/sql.ts";
import type { Listed, Page } from "../../kernel/lists/page.ts";
import { isVisibleTo } from "../prompts/index.ts";
import { isOwn } from "../../kernel/accounts/ownership.ts";

/** What an owner sets of a webhook, and what that resets, as it is stored. */
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
  const { count } = await one(sql<{ count: number }[]>`
    select count(*)::int as count from webhooks where user_id = ${userId} and deleted_at is null`);
  return count;
}

/**
 * The prompts an account may filter by, of those given: its own, and those it watches and can see. By the given names, which
 * may be former ones.
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
      join prompts p on p.id = found.id
      left join watches w on w.prompt_id = p.id and w.user_id = ${userId}
    where (${isOwn(sql, userId)} or w.level <> 'ignore') and ${isVisibleTo(sql, { id: userId })}`;
  return new Map(rows.map(({ id, ref }) => [ref, id]));
}

export async function insertWebhook(
  sql: Sql,
  {
    userId,
    settings,
    secret,
  }: { userId: string; settings: Omit<Settings, "consecutiveFailures">; secret: SealedSecret },
): Promise<string> {
  const { url, events, promptIds, description, disabledReason } = settings;
  const { id } = await one(sql<{ id: string }[]>`
    insert into webhooks (user_id, url, events, prompt_ids, description, disabled_reason, secret_encrypted,
      secret_key_id, secret_hint)
    values (${userId}, ${url}, ${events}, ${promptIds}, ${description}, ${disabledReason}, ${secret.encrypted},
      ${secret.keyId}, ${secret.hint})
    returning id`);
  return id;
}

/**
 * Writes the settings. Disabling raises the epoch, which ends all pending deliveries for good. The former filter of an
 * enabled webhook is kept for events that happened under it. Of two changes in one millisecond, the first never held.
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

/** The columns of a webhook, from `webhooks w`; without its secret, which is stored encrypted. */
const webhookColumns = columns<Webhook>({
  id: "w.id",
  url: "w.url",
  events: "w.events",
  // Only those that the account can see now: the new name of one that turned private must stay hidden.
  prompts: piece`case when w.prompt_ids is not null then (
    select coalesce(json_agg(o.handle || '/' || p.slug order by o.handle, p.slug), '[]')
    from prompts p join users o on o.id = p.owner_id
    where p.id = any (w.prompt_ids) and ${(sql) => isVisibleTo(sql, { id: sql`w.user_id` })}
  ) end`,
  description: "w.description",
  active: "w.disabled_reason is null",
  status: "case when w.disabled_reason is null then 'active' else 'disabled' end",
  disabledReason: "w.disabled_reason",
  consecutiveFailures: "w.consecutive_failures",
  secretHint: "w.secret_hint",
  lastDeliveryAt: "iso(w.last_delivery_at)",
  lastSuccessAt: "iso(w.last_success_at)",
  createdAt: "iso(w.created_at)",
  updatedAt: "iso(w.updated_at)",
});
/** The JSON of a webhook, from `webhooks w`. */
export const webhookJson = piece`(select row_to_json(webhook) from (select ${webhookColumns}) webhook)`;

export async function selectWebhook(sql: Sql, id: string): Promise<Webhook> {
  const [row] = await sql<{ webhook: Webhook }[]>`
    select ${webhookJson(sql)} as webhook from webhooks w where w.id = ${id}`;
  // A read holds no lock: the worker may have deleted it since it was found.
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
