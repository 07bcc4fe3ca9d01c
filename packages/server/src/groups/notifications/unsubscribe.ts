import { apiError } from "@promptreg/core/errors";
import type { Sql } from "../../database/sql.ts";
import type { Handler } from "../../kernel/handler.ts";
import type { SecretBox } from "../../kernel/secrets/secret-box.ts";
import { renderAsk, renderBad, renderDone } from "./pages.ts";
import { readToken, type Subscription } from "./token.ts";
import { endSubscription, selectSubscription } from "./unsubscribe.sql.ts";

interface Found extends Subscription {
  handle: string;
  isOn: boolean;
}

async function find(sql: Sql, secrets: SecretBox, token: string): Promise<Found | null> {
  const subscription = readToken(secrets, token);
  const state = subscription && (await selectSubscription(sql, subscription));
  return subscription && state && { ...subscription, ...state };
}

export const unsubscribePage: Handler<"notifications.unsubscribePage"> = async ({ query, sql, server }) => {
  const found = await find(sql, server.secrets, query.t);
  if (found === null) return { status: 404, ...renderBad() };
  return { status: 200, ...(found.isOn ? renderAsk(found) : renderDone(found)) };
};

export const unsubscribe: Handler<"notifications.unsubscribe"> = async ({ query, sql, server }) => {
  const found = await find(sql, server.secrets, query.t);
  if (found === null) {
    throw apiError("not_found", {
      message: "This link is incomplete, or older than a year. Use the link in a newer mail.",
    });
  }
  await endSubscription(sql, found);
  return { status: 200, ...renderDone(found) };
};
