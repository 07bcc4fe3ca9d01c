/** What the parts find in their databases, written as the product writes it. */
import type { Sql } from "postgres";
import type { SubjectPrompt } from "../../src/kernel/changes/emit.ts";
import { openSecretBox } from "../../src/kernel/secrets/secret-box.ts";
import { promptregSecret, webhookSecret } from "./stage.ts";

const secrets = openSecretBox(promptregSecret);

/** An account with one prompt. */
export async function plantPrompt(
  sql: Sql,
  { handle, visibility = "private" }: { handle: string; visibility?: string },
): Promise<SubjectPrompt> {
  const [prompt] = await sql<SubjectPrompt[]>`
    with owner as (insert into users (handle) values (${handle}) returning *)
    insert into prompts (owner_id, slug, kind, title, visibility, rating, status)
    select id, 'prompt', 'text', 'Prompt', ${visibility}, 'general', 'published' from owner
    returning id, owner_id as "ownerId", ${handle} as "ownerHandle", slug, visibility`;
  if (prompt === undefined) throw new Error("a prompt was not written");
  return prompt;
}

/** Webhooks of an account, or one of each account given, that hear of some event. */
export async function plantWebhooks(
  sql: Sql,
  { userIds, url, count = 1, event }: { userIds: string[]; url: string; count?: number; event: string },
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    insert into webhooks (user_id, url, events, secret_encrypted, secret_key_id, secret_hint)
    select user_id, ${url}, ${[event]}, ${secrets.encrypt(webhookSecret)}, ${secrets.keyId}, '5555'
    from unnest(${userIds}::text[]) user_id, generate_series(1, ${count}::int)
    returning id`;
  return rows.map(({ id }) => id);
}

/** The event that plants and parts speak of; its body is a kilobyte. */
export const eventName = "prompt.label.moved";
/** For webhooks that are to hear of nothing but what was planted. */
export const otherEventName = "prompt.version.created";
const filling = "Be brief, warm and exact. ".repeat(33);

/** The `data` of an event whose number its receiver tells. */
export const eventData = (nth: number) => ({
  nth,
  filling,
  label: { name: "production", versionNumber: 1, reason: null },
  previousVersionNumber: null,
});

/**
 * A backlog as fan-out leaves it behind: each event with a delivery to each of the webhooks, overdue, and analysed as
 * it soon would be, because plans hang on it.
 */
export async function plantBacklog(sql: Sql, webhookIds: string[], events: number): Promise<void> {
  await sql.begin(async (sql) => {
    await sql`
      with numbered as materialized (
        select new_id('evt') as id, nth from generate_series(1, ${events}::int) nth
      ), written as (
        insert into events (day, id, name, account_ids, watch_levels, created_at, body, fanned_out_at)
        select (clock() at time zone 'UTC')::date, id, ${eventName}, '{}', '{}', clock(),
          convert_to(json_build_object('id', id, 'event', ${eventName}::text, 'createdAt', iso(clock()), 'data',
            json_build_object('nth', nth, 'filling', ${filling}::text))::text, 'UTF8'), clock()
        from numbered
        returning *
      )
      insert into deliveries (day, event_day, event_id, event, webhook_id, epoch, next_attempt_at)
      select e.day, e.day, e.id, e.name, w.id, w.epoch, clock() - interval '2 minutes'
      from written e, webhooks w where w.id = any (${webhookIds})`;
    await sql`analyze events, deliveries, webhooks`;
  });
}
