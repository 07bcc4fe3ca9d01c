import { randomBytes } from "node:crypto";
import {
  type EventDescription,
  type EventName,
  events as catalogue,
  exampleEnvelope,
  limits,
} from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import type { Handler, HandlerWith } from "../../kernel/handler.ts";
import { lockAccount } from "../users/index.ts";
import { checkDestination } from "./destination.ts";
import { countWebhooks, insertWebhook, selectFilterable, selectWebhook } from "./webhooks.sql.ts";

/** A signing secret: the whole text, prefix included, is the key. */
const makeSecret = () => `whsec_${randomBytes(32).toString("base64url")}`;

async function promptIdsOf(sql: Sql, userId: string, refs: readonly string[] | null | undefined) {
  if (!refs) return null;
  const known = await selectFilterable(sql, { userId, refs });
  const details = refs.flatMap((ref, i) =>
    known.has(ref)
      ? []
      : [{ path: `/prompts/${i}`, code: "custom", message: `${ref} is neither yours nor watched by you` }],
  );
  const [first] = details;
  if (first) throw apiError("validation_failed", { message: `${first.message}.`, details });
  return [...new Set(known.values())];
}

export const create: HandlerWith<"webhooks.create", { prepared: string }> = {
  // Asking the name server takes time and is done before the transaction.
  prepare: async ({ body, server }) => checkDestination(body.url, server),

  async handle({ body, caller, prepared: url, sql, server: { secrets, publicUrl } }) {
    await lockAccount(sql, caller.id);
    if ((await countWebhooks(sql, caller.id)) >= limits.webhooksPerAccount) throw apiError("webhook_limit");
    const promptIds = await promptIdsOf(sql, caller.id, body.prompts);
    const secret = makeSecret();
    const id = await insertWebhook(sql, {
      userId: caller.id,
      webhook: { ...body, url },
      promptIds,
      secret: { encrypted: secrets.encrypt(secret), keyId: secrets.keyId, hint: secret.slice(-4) },
    });
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
