import type { ProofDatabase } from "./database.ts";

/** A delivery as the log has it in the end. */
export interface LoggedDelivery {
  id: string;
  eventId: string;
  webhookId: string;
  status: string;
  attempts: number;
  attemptLog: { responseStatus: number | null; error: string | null }[];
  redeliveryOf: string | null;
}

/** An event of the outbox. */
export interface LoggedEvent {
  id: string;
  /** The prompt it is about. */
  slug: string;
  reason: string;
  body: Buffer;
  isFannedOut: boolean;
}

/** Where a webhook ended up. */
export interface LoggedWebhook {
  id: string;
  disabledReason: string | null;
  failures: number;
  epoch: number;
}

/** Everything that the product says about itself. */
export interface Log {
  deliveries: LoggedDelivery[];
  events: LoggedEvent[];
  webhooks: Map<string, LoggedWebhook>;
  /** Jobs that are still there, held by a killed worker or given up. */
  jobs: number;
}

/** Reads all of it. */
export async function readLog(database: ProofDatabase): Promise<Log> {
  const deliveries = await database.ask(
    (sql) => sql<LoggedDelivery[]>`
      select id, event_id as "eventId", webhook_id as "webhookId", status, attempts, attempt_log as "attemptLog",
        redelivery_of as "redeliveryOf"
      from deliveries order by id`,
  );
  const events = await database.ask(
    (sql) => sql<LoggedEvent[]>`
      select e.id, p.slug, e.body, e.fanned_out_at is not null as "isFannedOut",
        convert_from(e.body, 'UTF8')::json #>> '{data,label,reason}' as reason
      from events e join prompts p on p.id = e.prompt_id where e.name = 'prompt.label.moved' order by e.id`,
  );
  const webhooks = await database.ask(
    (sql) => sql<LoggedWebhook[]>`
      select id, disabled_reason as "disabledReason", consecutive_failures as failures, epoch from webhooks`,
  );
  const jobs = await database.ask((sql) => sql`select from graphile_worker.jobs`);
  return {
    deliveries: [...deliveries],
    events: [...events],
    webhooks: new Map(webhooks.map((webhook) => [webhook.id, webhook])),
    jobs: jobs.count,
  };
}
