import type { EventName, Webhook } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import { UsageError } from "../errors.ts";
import { didYouMean } from "../terminal/did-you-mean.ts";

/**
 * The webhook that is meant: by its id, or without one the only one of the account.
 * @param events those that a new one should have, where there is none yet.
 */
export async function chooseWebhook(
  client: Client,
  id: string | undefined,
  events: readonly string[] = [],
): Promise<Webhook> {
  if (id !== undefined) return client.webhooks.get({ id });
  // An account can have 20.
  const { items } = await client.webhooks.list({ query: { limit: 100 } });
  const [only] = items;
  if (only === undefined) {
    const wanted = events.length > 0 ? ` --events ${events.join(",")}` : "";
    throw new UsageError(
      `You have no webhook yet. This creates one, with the address of your server in place of the example: promptreg webhook create https://example.com/hook${wanted}`,
    );
  }
  if (items.length === 1) return only;
  throw new UsageError(`Name a webhook: ${items.map(({ id, url }) => `${id} to ${url}`).join(", ")}.`);
}

/** Refuses what is no event, with what may have been meant: a filter that fits nothing would be silent for ever. */
export async function checkEvents(client: Client, names: readonly string[]): Promise<EventName[]> {
  const { items } = await client.webhooks.events();
  const known = items.map(({ name }) => name);
  return names.map((name) => {
    const event = known.find((each) => each === name);
    if (event !== undefined) return event;
    throw new UsageError(
      `Unknown event ${name}.${didYouMean(name, known)} \`promptreg webhook events\` lists all.`,
    );
  });
}
