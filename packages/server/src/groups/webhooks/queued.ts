import type { Delivery, JsonText } from "@promptreg/core";
import type { Sql } from "../../database/sql.ts";
import { selectDelivery } from "./deliveries.sql.ts";
import type { Bus } from "../../kernel/changes/bus.ts";
import { leaveJob } from "../../kernel/changes/outbox.ts";

/** Wakes the drain for a delivery that was just written, and answers with the delivery. */
export async function queued(
  sql: Sql,
  {
    webhookId,
    deliveryId,
    server,
  }: { webhookId: string; deliveryId: string; server: { publicUrl: string; bus: Bus } },
): Promise<{ status: 202; json: JsonText<Delivery>; location: string }> {
  await leaveJob(sql, server, "drain", { webhookIds: [webhookId] });
  const json = await selectDelivery(sql, { webhookId, deliveryId });
  if (json === null) throw new Error(`the delivery just written is not there: ${deliveryId}`);
  const location = `${server.publicUrl}/api/v1/webhooks/${webhookId}/deliveries/${deliveryId}`;
  return { status: 202, json, location };
}
