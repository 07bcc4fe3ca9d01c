/// <reference types="node" />
import { createHmac } from "node:crypto";
import type { WebhookEvent } from "../catalogue/events.ts";
import { parseEvent, toBytes, type WebhookBody } from "./body.ts";
import {
  readClaim,
  readClock,
  refuseMismatch,
  type SignatureHeader,
  type SignOptions,
  toSecrets,
  type VerifyOptions,
  type WebhookSecret,
} from "./signature.ts";

export * from "./common.ts";

/** The value of the `Service-Signature` header for a body: `t=<unix seconds>,v1=<hex HMAC-SHA256>`. */
export function signSync(body: WebhookBody, secret: string, options?: SignOptions): string {
  toSecrets(secret); // refuses a malformed one
  const t = String(readClock(options).seconds);
  return `t=${t},v1=${hmac(secret, t, toBytes(body))}`;
}

/** Returns if the request is genuine, else throws a WebhookVerificationError. */
export function verifySync(
  body: WebhookBody,
  header: SignatureHeader,
  secret: WebhookSecret,
  options?: VerifyOptions,
): void {
  const { t, signatures, secrets, bytes } = readClaim(body, header, secret, options);
  refuseMismatch(
    signatures,
    secrets.map((key) => hmac(key, t, bytes)),
  );
}

/** Verifies a request as `verifySync` does and returns its event. */
export function receiveSync(
  body: WebhookBody,
  header: SignatureHeader,
  secret: WebhookSecret,
  options?: VerifyOptions,
): WebhookEvent {
  verifySync(body, header, secret, options);
  return parseEvent(toBytes(body));
}

function hmac(secret: string, t: string, bytes: Uint8Array): string {
  return createHmac("sha256", secret).update(`${t}.`).update(bytes).digest("hex");
}
