import { cell, countOf } from "../terminal/text.ts";
import type { DeliverySummary } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import { ApiError, apiError } from "@promptreg/core/errors";
import type { Context } from "../settings/context.ts";
import { Interrupted } from "../errors.ts";
import { chooseWebhook } from "./choose.ts";
import { idBefore } from "./log.ts";
import { stateOf } from "./texts.ts";

/** Longer than any Retry-After: what is over the limit on requests is waited for. */
const deadlineMs = 180_000;

export async function catchUp(
  { connect, output, confirm, holdInterrupts }: Context,
  id: string | undefined,
  { since }: { since: string },
): Promise<void> {
  const client = await connect();
  const webhook = await chooseWebhook(client, id);
  const address = cell(webhook.url);
  if (webhook.status === "disabled") {
    throw apiError("webhook_disabled", {
      message: `The webhook is ${stateOf(webhook)}. Enable it first: \`promptreg webhook update ${webhook.id} --enable\`.`,
    });
  }
  const missed = await findMissed(client, webhook.id, since);
  if (missed.length > 0) {
    await confirm(`Send ${countOf(missed.length, "event")} again to ${address}, failed since ${since}?`);
  }
  const signal = holdInterrupts();
  const items: { eventId: string; event: string; redeliveryOf: string; deliveryId: string | null }[] = [];
  const soFar = () => `${items.length} of ${countOf(missed.length, "event")}`;
  const progress = output.progress(() => `sending again: ${soFar()}`);
  try {
    for (const { id: deliveryId, eventId, event } of missed) {
      if (signal.aborted) {
        throw new Interrupted(`${soFar()} were sent again. Run the same command to send the rest.`);
      }
      try {
        const again = await client.webhooks.deliveries.redeliver(
          { id: webhook.id, deliveryId },
          { deadlineMs },
        );
        items.push({ eventId, event, redeliveryOf: deliveryId, deliveryId: again?.id ?? null });
      } catch (error) {
        // Its prompt turned private or was deleted since. The others are still to be sent.
        if (!(error instanceof ApiError && error.code === "forbidden")) throw error;
        output.note(`${event} ${eventId}: ${error.message}`);
      }
    }
  } finally {
    progress.end();
    output.result({ webhookId: webhook.id, since, missed: missed.length, items }, () =>
      missed.length === 0 ? `Nothing failed since ${since}.` : `${soFar()} sent again to ${address}.`,
    );
  }
}

/**
 * The newest delivery of each event that none has brought to the receiver or is just about to. What waits for another
 * attempt counts as missed: that can be hours away.
 */
async function findMissed(client: Client, id: string, since: string): Promise<DeliverySummary[]> {
  const missed = new Map<string, DeliverySummary>();
  const arriving = new Set<string>();
  const after = idBefore(since);
  for (const status of ["failed", "cancelled", "pending"] as const) {
    for await (const delivery of log(client, id, { status, after })) {
      const { eventId, event, attempts } = delivery;
      const known = missed.get(eventId);
      if (status === "pending" && attempts === 0) arriving.add(eventId);
      // A ping is a question of then, and nobody waits for its answer any more.
      else if (event !== "ping" && (known === undefined || known.id < delivery.id))
        missed.set(eventId, delivery);
    }
  }
  // Most of a log are successes: they are read only where something failed.
  if (missed.size > 0) {
    for await (const { eventId } of log(client, id, { status: "succeeded", after })) arriving.add(eventId);
  }
  return [...missed.values()]
    .filter(({ eventId }) => !arriving.has(eventId))
    .sort((a, b) => (a.eventId < b.eventId ? -1 : 1));
}

const log = (
  client: Client,
  id: string,
  which: { status: DeliverySummary["status"]; after: string },
): AsyncIterable<DeliverySummary> =>
  client.webhooks.deliveries.list({ id, query: { ...which, order: "asc", limit: 100 } }, { deadlineMs });
