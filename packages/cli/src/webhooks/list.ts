import { cell } from "../terminal/text.ts";
import type { Webhook } from "@promptreg/client";
import type { Context } from "../settings/context.ts";
import type { Output } from "../terminal/output.ts";
import { chooseWebhook } from "./choose.ts";
import { listOf, printFields, stateOf, toSecond } from "./texts.ts";

export async function list({ connect, output }: Context): Promise<void> {
  const client = await connect();
  // An account can have 20.
  const { items } = await client.webhooks.list({ query: { limit: 100 } });
  output.result({ items }, () =>
    items.length === 0
      ? "No webhooks."
      : output.table(
          ["webhook", "address", "events", "state", "last success"],
          items.map((webhook) => [
            webhook.id,
            cell(webhook.url),
            listOf(webhook.events),
            painted(webhook, output),
            webhook.lastSuccessAt === null ? "never" : toSecond(webhook.lastSuccessAt),
          ]),
        ),
  );
}

export async function show({ connect, output }: Context, id: string | undefined): Promise<void> {
  const webhook = await chooseWebhook(await connect(), id);
  output.result(webhook, () => printWebhook(webhook, output));
}

function painted(webhook: Webhook, { colors: { green, red, yellow } }: Output): string {
  const paint = webhook.status === "disabled" ? red : webhook.consecutiveFailures > 0 ? yellow : green;
  return paint(stateOf(webhook));
}

/** All that is known of a webhook; with its secret where the registry has just told it. */
export function printWebhook(webhook: Webhook, output: Output): string {
  const { id, url, events, prompts, description, secret, secretHint, lastDeliveryAt, lastSuccessAt } =
    webhook;
  const { bold } = output.colors;
  return printFields(
    {
      webhook: bold(id),
      address: cell(url),
      events: listOf(events),
      prompts: cell(listOf(prompts)),
      description: description && cell(description),
      state: painted(webhook, output),
      secret: secret === undefined ? `…${secretHint}` : bold(secret),
      "last sent": lastDeliveryAt && toSecond(lastDeliveryAt),
      "last success": lastSuccessAt && toSecond(lastSuccessAt),
      created: toSecond(webhook.createdAt),
    },
    output,
  );
}
