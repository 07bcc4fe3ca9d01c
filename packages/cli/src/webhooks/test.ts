import { cell } from "../terminal/text.ts";
import { setTimeout as delay } from "node:timers/promises";
import type { Delivery } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import type { Context } from "../settings/context.ts";
import { CheckError } from "../errors.ts";
import { exitCodes } from "../exit-codes.ts";
import { chooseWebhook } from "./choose.ts";
import { answerOf, printExcerpt } from "./texts.ts";

/** The receiver has ten; the rest is for the registry to come to it. */
const timeoutMs = 20_000;
const askedEveryMs = 300;

export async function test({ connect, output }: Context, id: string | undefined): Promise<number> {
  const client = await connect();
  const webhook = await chooseWebhook(client, id);
  const progress = output.progress(() => `waiting for the answer of ${cell(webhook.url)}`);
  const ping = await client.webhooks.test({ id: webhook.id });
  const delivery = ping && (await untilAnswered(client, ping));
  progress.end();
  if (delivery === undefined)
    throw new CheckError("The ping was sent, but this token may not read the result.");
  const answer = answerOf(delivery);
  if (delivery.status === "pending" || answer === null) {
    throw new CheckError(
      `The ping was not sent within ${timeoutMs / 1000} seconds. Check that a worker of the registry is running. \`promptreg webhook delivery ${webhook.id} ${delivery.id}\` shows its state.`,
    );
  }
  const isFine = delivery.status === "succeeded";
  const { green, red } = output.colors;
  output.result(delivery, () => {
    const result = isFine ? green(answer) : red(answer);
    return `ping → ${cell(webhook.url)}: ${result}${printExcerpt(delivery.responseExcerpt)}`;
  });
  return exitCodes[isFine ? "ok" : "checkFailed"][0];
}

async function untilAnswered(client: Client, delivery: Delivery): Promise<Delivery> {
  const address = { id: delivery.webhookId, deliveryId: delivery.id };
  let latest = delivery;
  for (const startedMs = performance.now(); performance.now() - startedMs < timeoutMs; ) {
    if (latest.status !== "pending") return latest;
    await delay(askedEveryMs);
    latest = await client.webhooks.deliveries.get(address);
  }
  return latest;
}
