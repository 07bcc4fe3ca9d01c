import { signSync } from "@promptreg/core/webhooks/node";
import type { ServerContext } from "../../kernel/server-context.ts";
import { type Claimed, claim, type Destination, record, wakeDrain } from "./drain.sql.ts";
import { wakePurge } from "./purge.sql.ts";
import { send } from "./send.ts";

/** Eight attempts over about a day. */
export const gapsSeconds = [60, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 8 * 3600, 8 * 3600];
const failuresToDisable = 15;
/** As many at once to one endpoint; they end within the ten seconds of an attempt, well inside the lease. */
const batchSize = 10;
const leaseSeconds = 60;
/** After this a drain lets others have its slot and queues up again. */
const sliceMs = 20_000;

/**
 * Sends what is due to one webhook. It holds one slot of the worker whatever its endpoint does, so a slow endpoint
 * delays only itself.
 */
export async function drain(server: ServerContext, { webhookId }: { webhookId: string }): Promise<void> {
  const { sql } = server;
  const startedAt = performance.now();
  let isLast = false;
  while (performance.now() - startedAt < sliceMs) {
    const batch = await claim(sql, { webhookId, limit: batchSize, leaseSeconds });
    // An event that was being fanned out while the webhook was deleted may have left something.
    if (batch === null) return void (await wakePurge(sql, webhookId));
    const { destination, deliveries } = batch;
    if (deliveries.length === 0) {
      if (isLast) return;
      // Before a last look: a wake that came in since the one before may just have been put off to a later time.
      await wakeDrain(sql, webhookId);
      isLast = true;
      continue;
    }
    isLast = false;
    await Promise.all(deliveries.map((delivery) => attempt(server, { webhookId, destination, delivery })));
  }
  await wakeDrain(sql, webhookId);
}

async function attempt(
  { sql, secrets, publicUrl, allowUnsafeWebhooks }: ServerContext,
  { webhookId, destination, delivery }: { webhookId: string; destination: Destination; delivery: Claimed },
): Promise<void> {
  const { body, event, id } = delivery;
  const headers = {
    "content-type": "application/json",
    "user-agent": `Service-Webhooks/1.0 (+${publicUrl}/docs/webhooks)`,
    "service-event": event,
    "service-delivery": id,
    "service-signature": signSync(body, secrets.decrypt(destination.secret)),
  };
  const outcome = await send({ url: destination.url, headers, body }, { allowUnsafe: allowUnsafeWebhooks });
  await sql.begin((tx) => record(tx, { webhookId, delivery, outcome, gapsSeconds, failuresToDisable }));
}
