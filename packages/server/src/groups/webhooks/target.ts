import type { Loaded, LoadRequest, Target } from "../../kernel/target.ts";
import type { Sql } from "../../database/sql.ts";
import type { Settings } from "./webhooks.sql.ts";

/** A webhook as its operations decide about it. */
export interface WebhookRow {
  id: string;
  ownerId: string;
  revision: string;
  settings: Settings;
}

declare module "../../kernel/target.ts" {
  interface Targets {
    webhook: WebhookRow;
  }
}

/** Its account alone sees a webhook, and nobody a deleted one. Whatever changes one, or its deliveries, locks it first. */
export const webhookTarget: Target<WebhookRow, { id: string }> = {
  async load(sql: Sql, { address, caller, lock }: LoadRequest<{ id: string }>): Promise<Loaded<WebhookRow>> {
    if (lock) await sql`select from webhooks where id = ${address.id} for no key update`;
    const [row] = await sql<Loaded<WebhookRow>[]>`
      select ${caller} as caller, (select row_to_json(t) from (
        select w.id, w.user_id as "ownerId", w.revision::text, (select row_to_json(s) from (
          select w.url, w.events, w.prompt_ids as "promptIds", w.description, w.disabled_reason as "disabledReason",
            w.consecutive_failures as "consecutiveFailures"
        ) s) as settings
        from webhooks w where w.id = ${address.id} and w.deleted_at is null
      ) t) as target`;
    return row ?? { caller: null, target: null };
  },
  sight: ({ ownerId }, caller) => (caller?.id === ownerId ? "seen" : "hidden"),
  roles: () => ["owner"],
};
