import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
  type EventDescription,
  type EventName,
  events as catalogue,
  exampleEnvelope,
  limits,
  type SubscribableEvent,
} from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import type { Handler, HandlerWith } from "../../kernel/handler.ts";
import type { SecretBox } from "../../kernel/secrets/secret-box.ts";
import { lockAccount } from "../../kernel/accounts/accounts.ts";
import { checkDestination } from "./destination.ts";
import { cancelStale } from "./drain.sql.ts";
import { insertPing } from "./ping.sql.ts";
import { leaveJob } from "../../kernel/changes/outbox.ts";
import { queued } from "./queued.ts";
import {
  countWebhooks,
  hideWebhook,
  insertWebhook,
  replaceSecret,
  type SealedSecret,
  selectFilterable,
  selectWebhook,
  selectWebhooks,
  type Settings,
  updateWebhook,
  webhookJson,
} from "./webhooks.sql.ts";

/** As many as a request can give up in two seconds or so; a drain gives up the rest, and sends none of it. */
const cancelledAtOnce = 20_000;

/** A new signing secret, for its owner and for us: the whole text, prefix included, is the key. */
function makeSecret(secrets: SecretBox): { secret: string; sealed: SealedSecret } {
  const secret = `whsec_${randomBytes(32).toString("base64url")}`;
  return {
    secret,
    sealed: { encrypted: secrets.encrypt(secret), keyId: secrets.keyId, hint: secret.slice(-4) },
  };
}

async function promptIdsOf(
  sql: Sql,
  userId: string,
  refs: readonly string[] | null,
): Promise<string[] | null> {
  if (refs === null) return null;
  const known = await selectFilterable(sql, { userId, refs });
  const details = refs.flatMap((ref, i) =>
    known.has(ref)
      ? []
      : [{ path: `/prompts/${i}`, code: "custom", message: `${ref} is neither yours nor watched by you` }],
  );
  const [first] = details;
  if (first) throw apiError("validation_failed", { message: `${first.message}.`, details });
  return [...new Set(known.values())].sort();
}

/** Whom events go to. The rest of a URL may be a secret. */
const originOf = (url: string): string => new URL(url).origin;

const eachOnce = (events: SubscribableEvent[] | null) => events && [...new Set(events)];

export const list: Handler<"webhooks.list"> = async ({ caller, page, sql }) =>
  page.reply(await selectWebhooks(sql, { userId: caller.id, page }));

export const create: HandlerWith<"webhooks.create", { prepared: string }> = {
  // Asking the name server takes time and is done before the transaction.
  prepare: async ({ body, server }) => checkDestination(body.url, server),

  async handle({ body, caller, prepared: url, sql, audit, server: { secrets, publicUrl } }) {
    await lockAccount(sql, caller.id);
    if ((await countWebhooks(sql, caller.id)) >= limits.webhooksPerAccount) throw apiError("webhook_limit");
    const { events = null, prompts = null, description = null, active = true } = body;
    const { secret, sealed } = makeSecret(secrets);
    const settings = {
      url,
      events: eachOnce(events),
      promptIds: await promptIdsOf(sql, caller.id, prompts),
      description,
      disabledReason: active ? null : ("owner" as const),
    };
    const id = await insertWebhook(sql, { userId: caller.id, settings, secret: sealed });
    await audit("webhook.create", id, { url: originOf(url) });
    return {
      status: 201,
      json: await selectWebhook(sql, id),
      once: { secret },
      location: `${publicUrl}/api/v1/webhooks/${id}`,
    };
  },
};

export const events: Handler<"webhooks.events"> = async () => {
  const items = (Object.keys(catalogue) as EventName[]).map((name): EventDescription => {
    const { description, isSubscribable, watchLevels } = catalogue[name];
    return {
      name,
      description,
      subscribable: isSubscribable,
      watchLevels: [...watchLevels],
      example: exampleEnvelope(name),
    };
  });
  return { status: 200, json: { items, nextCursor: null } };
};

export const get: HandlerWith<"webhooks.get", {}> = {
  state: (sql) => webhookJson(sql),
  handle: async ({ target: webhook, sql }) => ({ status: 200, json: await selectWebhook(sql, webhook.id) }),
};

export const update: HandlerWith<"webhooks.update", { prepared: string | undefined }> = {
  prepare: async ({ body, server }) =>
    body.url === undefined ? undefined : checkDestination(body.url, server),

  async handle({ body, caller, prepared: url, target: { id, settings: held }, sql, audit, server }) {
    const { events, prompts, description, active, rotateSecret = false } = body;
    const settings: Settings = {
      url: url ?? held.url,
      events: events === undefined ? held.events : eachOnce(events),
      promptIds: prompts === undefined ? held.promptIds : await promptIdsOf(sql, caller.id, prompts),
      description: description === undefined ? held.description : description,
      disabledReason:
        active === undefined ? held.disabledReason : active ? null : (held.disabledReason ?? "owner"),
      consecutiveFailures: active ? 0 : held.consecutiveFailures,
    };
    if (!isDeepStrictEqual(settings, held)) {
      await updateWebhook(sql, id, settings);
      await audit("webhook.update", id, {
        url: originOf(settings.url),
        isActive: settings.disabledReason === null,
      });
    }
    if (settings.disabledReason !== null) await cancelStale(sql, id, { limit: cancelledAtOnce });
    if (!rotateSecret) return { status: 200, json: await selectWebhook(sql, id) };
    const { secret, sealed } = makeSecret(server.secrets);
    await replaceSecret(sql, id, sealed);
    await audit("webhook.rotate", id);
    return { status: 200, json: await selectWebhook(sql, id), once: { secret } };
  },
};

const remove: Handler<"webhooks.delete"> = async ({ target: webhook, sql, audit, server }) => {
  await hideWebhook(sql, webhook.id);
  await leaveJob(sql, server, "purge_webhook", { webhookId: webhook.id });
  await audit("webhook.delete", webhook.id);
  return { status: 204 };
};
export { remove as delete };

export const test: Handler<"webhooks.test"> = async ({ target: webhook, sql, server }) =>
  queued(sql, { webhookId: webhook.id, deliveryId: await insertPing(sql, webhook.id), server });
