import type { CreateWebhook, Webhook } from "@promptreg/core";
import type { Sql } from "../../database/sql.ts";

export async function countWebhooks(sql: Sql, userId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from webhooks where user_id = ${userId} and deleted_at is null`;
  return row?.count ?? 0;
}

/** The prompts an account may filter by, out of those named: its own, and those it watches and can see. */
export async function selectFilterable(
  sql: Sql,
  { userId, refs }: { userId: string; refs: readonly string[] },
): Promise<Map<string, string>> {
  const rows = await sql<{ id: string; ref: string }[]>`
    select p.id, o.handle || '/' || p.slug as ref
    from unnest(${[...refs]}::text[]) named
      join users o on o.handle = split_part(named, '/', 1)
      join prompts p on p.owner_id = o.id and p.slug = split_part(named, '/', 2) and p.deleted_at is null
      left join watches w on w.prompt_id = p.id and w.user_id = ${userId}
    where p.owner_id = ${userId}
      or (w.level <> 'ignore' and p.visibility <> 'private' and p.status = 'published')`;
  return new Map(rows.map(({ id, ref }) => [ref, id]));
}

/** A webhook as it is written. */
export interface NewWebhook {
  userId: string;
  webhook: CreateWebhook;
  promptIds: string[] | null;
  secret: { encrypted: Buffer; keyId: string; hint: string };
}

export async function insertWebhook(
  sql: Sql,
  { userId, webhook, promptIds, secret }: NewWebhook,
): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    insert into webhooks (user_id, url, events, prompt_ids, description, disabled_reason, secret_encrypted,
      secret_key_id, secret_hint)
    values (${userId}, ${webhook.url}, ${webhook.events ?? null}, ${promptIds}, ${webhook.description ?? null},
      ${webhook.active === false ? "owner" : null}, ${secret.encrypted}, ${secret.keyId}, ${secret.hint})
    returning id`;
  if (row === undefined) throw new Error("a webhook was written but not returned");
  return row.id;
}

export async function selectWebhook(sql: Sql, id: string): Promise<Webhook> {
  const [row] = await sql<{ webhook: Webhook }[]>`
    select row_to_json(webhook) as webhook from (
      select w.id, w.url, w.events,
        (select json_agg(o.handle || '/' || p.slug order by o.handle, p.slug)
          from prompts p join users o on o.id = p.owner_id where p.id = any (w.prompt_ids)) as prompts,
        w.description, w.disabled_reason is null as active,
        case when w.disabled_reason is null then 'active' else 'disabled' end as status,
        w.disabled_reason as "disabledReason", w.consecutive_failures as "consecutiveFailures",
        w.secret_hint as "secretHint", iso(w.last_delivery_at) as "lastDeliveryAt",
        iso(w.last_success_at) as "lastSuccessAt", iso(w.created_at) as "createdAt", iso(w.updated_at) as "updatedAt"
      from webhooks w where w.id = ${id}
    ) webhook`;
  if (row === undefined) throw new Error(`the webhook of this request is gone: ${id}`);
  return row.webhook;
}
