import type { TargetKind } from "../../kernel/target.ts";
import type { Settings } from "./webhooks.sql.ts";
import { owns } from "../../kernel/accounts/ownership.ts";

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
export const webhookTarget: TargetKind<WebhookRow, { id: string }> = {
  alias: "w",
  from: (sql, { id }) => sql`from webhooks w where w.id = ${id} and w.deleted_at is null`,
  columns: (sql) => sql`
    w.id, w.user_id as "ownerId", w.revision::text, (select row_to_json(s) from (
      select w.url, w.events, w.prompt_ids as "promptIds", w.description, w.disabled_reason as "disabledReason",
        w.consecutive_failures as "consecutiveFailures"
    ) s) as settings`,
  visibility: (row, caller) => (owns(caller, row) ? "visible" : "hidden"),
  roles: () => ["owner"],
};
