import { timingSafeEqual } from "node:crypto";
import { type NotificationType, notificationTypes } from "@promptreg/core";
import type { DigestKey, SecretBox } from "../../kernel/secret-box.ts";
import type { ServerContext } from "../../kernel/server-context.ts";

/** Whose mail about what a link ends, and until when, in seconds, it does. */
export interface Subscription {
  user: string;
  list: NotificationType;
  exp: number;
}

const seal = (key: DigestKey, payload: string) => key.digest(JSON.stringify(["unsubscribe", payload]));

/** `<id of the key>.<base64url of the subscription>.<its digest>`: who holds it can end this mail and nothing else. */
export function printToken(secrets: SecretBox, subscription: Subscription): string {
  const payload = Buffer.from(JSON.stringify(subscription)).toString("base64url");
  const key = secrets.mailLinks;
  return `${key.id}.${payload}.${seal(key, payload).toString("base64url")}`;
}

/** Reads a token that was made here; null for any other. Whether it has expired is for the database's clock to say. */
export function readToken(secrets: SecretBox, token: string): Subscription | null {
  const [, id, payload = "", digest = ""] = /^(?:([0-9a-f]{12})\.)?([\w-]+)\.([\w-]{43})$/.exec(token) ?? [];
  // Those that were sent before links had a key of their own name none.
  const key = id === undefined ? secrets.formerLinks : secrets.mailLinks;
  if (id !== undefined && id !== key.id) return null;
  const given = Buffer.from(digest, "base64url");
  const own = seal(key, payload);
  if (given.length !== own.length || !timingSafeEqual(given, own)) return null;
  const subscription = JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as Subscription;
  // A type can go, with its group, sooner than the links to it.
  return notificationTypes.includes(subscription.list) ? subscription : null;
}

/** The address of the page on which one can unsubscribe, which ends the mail itself when it is posted to. */
export const unsubscribeUrl = (
  { secrets, publicUrl }: Pick<ServerContext, "secrets" | "publicUrl">,
  { userId, type, expiresAt }: { userId: string; type: NotificationType; expiresAt: number },
): string =>
  `${publicUrl}/api/v1/notifications/unsubscribe?t=${printToken(secrets, { user: userId, list: type, exp: expiresAt })}`;
