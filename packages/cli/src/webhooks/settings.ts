import { cell } from "../terminal/text.ts";
import type { CreateWebhook, SubscribableEvent, UpdateWebhook, Webhook } from "@promptreg/client";
import type { Client } from "../requests/client.ts";
import type { Context } from "../settings/context.ts";
import { UsageError } from "../errors.ts";
import type { Output } from "../terminal/output.ts";
import { checkEvents } from "./choose.ts";
import { printWebhook } from "./list.ts";

interface Settings {
  events?: string[] | "all";
  prompt?: string[] | "all";
  description?: string;
}

/** The settings as the API takes them: what was not given is absent. */
async function settingsOf(
  client: Client,
  { events, prompt, description }: Settings,
): Promise<Partial<CreateWebhook>> {
  const settings: Partial<CreateWebhook> = {};
  // Of those that exist the registry says itself which cannot be subscribed.
  if (events !== undefined)
    settings.events = events === "all" ? null : ((await checkEvents(client, events)) as SubscribableEvent[]);
  if (prompt !== undefined) settings.prompts = prompt === "all" ? null : prompt;
  if (description !== undefined) settings.description = description || null;
  return settings;
}

export async function create(
  { connect, output }: Context,
  url: string,
  { disabled, ...settings }: Settings & { disabled?: boolean },
): Promise<void> {
  const client = await connect();
  const body = { ...(await settingsOf(client, settings)), url, active: disabled !== true };
  showOnce(await client.webhooks.create({ body }), output);
}

export async function update(
  { connect, output }: Context,
  id: string,
  { to, enable, disable, ...settings }: Settings & { to?: string; enable?: boolean; disable?: boolean },
): Promise<void> {
  const client = await connect();
  const body: UpdateWebhook = await settingsOf(client, settings);
  if (to !== undefined) body.url = to;
  if (enable || disable) body.active = enable === true;
  if (Object.keys(body).length === 0) {
    throw new UsageError(
      "Name what to change: --to, --events, --prompt, --description, --enable or --disable.",
    );
  }
  const webhook = await client.webhooks.update({ id, body });
  output.result(webhook ?? { id }, () => (webhook ? printWebhook(webhook, output) : `${id} is changed.`));
}

export async function rotate({ connect, output, confirm }: Context, id: string): Promise<void> {
  const client = await connect();
  const { url } = await client.webhooks.get({ id });
  await confirm(`Replace the secret of ${id} (${cell(url)})? The current secret stops working at once.`);
  const webhook = await client.webhooks.update({ id, body: { rotateSecret: true } });
  if (webhook) showOnce(webhook, output);
  output.note(
    "The old secret is no longer used. Deliveries that your receiver refuses until it has the new secret are sent again.",
  );
}

export async function remove({ connect, output, confirm }: Context, id: string): Promise<void> {
  const client = await connect();
  const webhook = await client.webhooks.get({ id });
  await confirm(`Delete ${id} (${cell(webhook.url)}) with its delivery log?`);
  await client.webhooks.delete({ id });
  output.result({ deleted: webhook }, () => `${id} is deleted.`);
}

/** Shows a webhook with its secret, which nobody can be shown again. */
function showOnce(webhook: Webhook, output: Output): void {
  output.result(webhook, () => printWebhook(webhook, output));
  output.note("Store the secret where your receiver reads it. It is not shown again.");
}
