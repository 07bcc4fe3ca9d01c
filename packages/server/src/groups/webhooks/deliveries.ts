import { apiError } from "@promptreg/core/errors";
import type { Handler, HandlerWith } from "../../kernel/handler.ts";
import {
  cancelPending,
  insertRedelivery,
  planned,
  selectDeliveries,
  selectDelivery,
  selectRepeatable,
  selectSettledUntil,
  stateOfDelivery,
} from "./deliveries.sql.ts";
import { queued } from "./queued.ts";

export const list: Handler<"webhooks.deliveries.list"> = async ({ query, target: webhook, page, server }) => {
  const { after, order = after === undefined ? "desc" : "asc", include, ...filters } = query;
  // Whoever reads forward goes on after the last one seen, and would never look back for one that appears before it.
  const isFollowing = after !== undefined || order === "asc";
  const wanted = {
    ...filters,
    webhookId: webhook.id,
    isAscending: order === "asc",
    newerThan: after,
    settledUntil: isFollowing ? await selectSettledUntil(server.sql) : undefined,
    withPayload: include === "payload",
    page,
  };
  const rows = await planned(server.sql, (sql) => selectDeliveries(sql, wanted));
  return page.reply(rows);
};

export const get: HandlerWith<"webhooks.deliveries.get", {}> = {
  state: (sql, { params: { deliveryId } }) => stateOfDelivery(sql, deliveryId),

  async handle({ params, target: webhook, server }) {
    const address = { webhookId: webhook.id, deliveryId: params.deliveryId };
    const json = await planned(server.sql, (sql) => selectDelivery(sql, address));
    if (json === null) throw absent(params);
    return { status: 200, json };
  },
};

export const redeliver: Handler<"webhooks.deliveries.redeliver"> = async ({
  params,
  target,
  sql,
  server,
  charge,
}) => {
  const address = { webhookId: target.id, deliveryId: params.deliveryId };
  if (target.settings.disabledReason !== null) throw apiError("webhook_disabled");
  const original = await selectRepeatable(sql, address);
  if (original === null) throw absent(params);
  if (original.isWithdrawn) throw apiError("forbidden", { message: withdrawnMessage });
  if (original.event === "ping") charge();
  const deliveryId = await insertRedelivery(sql, address);
  await cancelPending(sql, address);
  return queued(sql, { webhookId: target.id, deliveryId, server });
};

const withdrawnMessage =
  "The prompt of this event turned private or was deleted since. What you were sent stays in your log, and is not sent again.";

const absent = ({ id, deliveryId }: { id: string; deliveryId: string }) =>
  apiError("not_found", { message: `${id} has no delivery ${deliveryId}; the log goes back 30 days.` });
