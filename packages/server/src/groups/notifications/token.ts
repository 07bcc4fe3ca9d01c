import { timingSafeEqual } from "node:crypto";
import { type NotificationType, notificationTypes } from "@promptreg/core";
import type { DigestKey, SecretBox } from "../../kernel/secrets/secret-box.ts";
import type { ServerContext } from "../../kernel/server-context.ts";

/** What a link unsubscribes: an account from a type of mail, or from its digest. It works until `exp`, in seconds. */
export interface Subscription {
  user: string;
  list: NotificationType | "digest";
  exp: number;
}

const seal = (key: DigestKey, payload: string) => key.digest(JSON.stringify(["unsubscribe", payload]));

/** `<id of the key>.<base64url of the subscription>.<its digest>`: whoever has it can end this mail, and nothing else. */
export function printToken(secrets: SecretBox, subscription: Subscription): string {
  const payload = Buffer.from(JSON.stringify(subscription)).toString("base64url");
  const key = secrets.mailLinks;
  return `${key.id}.${payload}.${seal(key, payload).toString("base64url")}`;
}

/** Reads a token; null if it was not made by us. The database's clock decides whether it has expired. */
export function readToken(secrets: SecretBox, token: string): Subscription | null {
  const [, id, payload = "", digest = ""] = /^(?:([0-9a-f]{12})\.)?([\w-]+)\.([\w-]{43})$/.exec(token) ?? [];
  // Links from before they had their own key have no id.
  const key =
    id === undefined
      ? secrets.formerLinks
      : [secrets, secrets.second].find((one) => one?.mailLinks.id === id)?.mailLinks;
  if (key === undefined) return null;
  const given = Buffer.from(digest, "base64url");
  const own = seal(key, payload);
  if (given.length !== own.length || !timingSafeEqual(given, own)) return null;
  const subscription = JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as Subscription;
  // A type can be removed, with its group, before its links expire.
  const { list } = subscription;
  return list === "digest" || notificationTypes.includes(list) ? subscription : null;
}

/** The URL of the page to unsubscribe. A POST to it ends the mail at once. */
export const unsubscribeUrl = (
  { secrets, publicUrl }: Pick<ServerContext, "secrets" | "publicUrl">,
  { userId, list, expiresAt }: { userId: string; list: Subscription["list"]; expiresAt: number },
): string =>
  `${publicUrl}/api/v1/notifications/unsubscribe?t=${printToken(secrets, { user: userId, list, exp: expiresAt })}`;
