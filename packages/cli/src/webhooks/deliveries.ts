import { cell, countOf, plain } from "../terminal/text.ts";
import type { DeliveriesQuery, Delivery, DeliveryStatus, DeliverySummary } from "@promptreg/client";
import { take } from "../requests/take.ts";
import type { Context } from "../settings/context.ts";
import { Interrupted } from "../errors.ts";
import type { Output } from "../terminal/output.ts";
import { checkEvents, chooseWebhook } from "./choose.ts";
import { answerOf, printExcerpt, printFields, toSecond } from "./texts.ts";

interface LogOptions {
  status?: DeliveryStatus;
  event?: string;
  after?: string;
  limit: number;
}

export async function listDeliveries(
  { connect, output }: Context,
  webhookId: string | undefined,
  { status, event, after, limit }: LogOptions,
): Promise<void> {
  const client = await connect();
  const { id } = await chooseWebhook(client, webhookId);
  const query: DeliveriesQuery = { order: "desc", limit: Math.min(limit, 100) };
  if (status !== undefined) query.status = status;
  if (after !== undefined) query.after = after;
  const [known] = event === undefined ? [] : await checkEvents(client, [event]);
  if (known !== undefined) query.event = known;
  const { items, hasMore } = await take(client.webhooks.deliveries.list({ id, query }), limit);
  const headings = ["time", "event", "status", "attempts", "answer", "took", "delivery"];
  output.result({ items, hasMore }, () =>
    items.length === 0
      ? "No deliveries."
      : output.table(
          headings,
          items.map((item) => rowOf(item, output)),
        ),
  );
  output.more(hasMore);
}

function rowOf(delivery: DeliverySummary, output: Output): string[] {
  const { id, event, attempts, maxAttempts, createdAt, responseStatus, responseTimeMs, error } = delivery;
  return [
    toSecond(createdAt),
    event,
    painted(delivery, output),
    `${attempts}/${maxAttempts}`,
    // Of an error the kind, which stands before the colon, says enough here.
    responseStatus === null ? cell(error?.split(":")[0] ?? "") : String(responseStatus),
    responseTimeMs === null ? "" : `${responseTimeMs} ms`,
    id,
  ];
}

function painted({ status }: DeliverySummary, { colors: { green, red, yellow, dim } }: Output): string {
  return { succeeded: green, failed: red, pending: yellow, cancelled: dim }[status](status);
}

export async function showDelivery(
  { connect, output }: Context,
  id: string,
  deliveryId: string,
): Promise<void> {
  const client = await connect();
  const delivery = await client.webhooks.deliveries.get({ id, deliveryId });
  output.result(delivery, () => asText(delivery, output));
}

function asText(delivery: Delivery, output: Output): string {
  const { bold, dim } = output.colors;
  const { id, webhookId, event, eventId, redeliveryOf, createdAt, nextAttemptAt, maxAttempts } = delivery;
  const { attemptLog, payload, responseExcerpt } = delivery;
  const fields = printFields(
    {
      delivery: bold(id),
      webhook: webhookId,
      event: `${event} (${eventId})`,
      status: painted(delivery, output),
      created: toSecond(createdAt),
      repeats: redeliveryOf,
      "next attempt": nextAttemptAt && toSecond(nextAttemptAt),
    },
    output,
  );
  const attempts = attemptLog.map((attempt) => `    ${toSecond(attempt.at)}  ${answerOf(attempt) ?? ""}`);
  return [
    fields,
    dim(`attempts (${attemptLog.length} of ${maxAttempts})`),
    ...attempts,
    dim("answer to the last one"),
    printExcerpt(responseExcerpt).slice(1) || "    nothing",
    dim("sent"),
    plain(JSON.stringify(payload, null, 2)).replace(/^/gm, "    "),
  ].join("\n");
}

export async function redeliver(
  { connect, output, holdInterrupts }: Context,
  id: string,
  deliveryIds: readonly string[],
): Promise<void> {
  const client = await connect();
  const signal = holdInterrupts();
  const items: (Delivery | { redeliveryOf: string })[] = [];
  try {
    for (const deliveryId of deliveryIds) {
      if (signal.aborted) {
        throw new Interrupted(`${items.length} of ${countOf(deliveryIds.length, "event")} were sent again.`);
      }
      const delivery = await client.webhooks.deliveries.redeliver({ id, deliveryId });
      items.push(delivery ?? { redeliveryOf: deliveryId });
    }
  } finally {
    // Where one failed, those before it are told of nevertheless: they are on their way.
    output.result({ items }, () =>
      items
        .map((one) =>
          cell(
            "id" in one
              ? `${one.redeliveryOf} (${one.event}) is sent again as ${one.id}`
              : `${one.redeliveryOf} is sent again`,
          ),
        )
        .join("\n"),
    );
  }
}
