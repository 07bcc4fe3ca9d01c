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
import { WebhookVerificationError } from "./error.ts";

export * from "./common.ts";

// Importing a key took a fifth of the time to verify 1 KB. The cache contains keys, not promises, since a worker may not
// wait for a promise of another request.
const keys = new Map<string, CryptoKey>();

/** The value of the `Service-Signature` header for a body: `t=<unix seconds>,v1=<hex HMAC-SHA256>`. */
export async function sign(body: WebhookBody, secret: string, options?: SignOptions): Promise<string> {
  toSecrets(secret); // refuses a malformed one
  const t = String(readClock(options).seconds);
  return `t=${t},v1=${await hmac(secret, toSigned(t, toBytes(body)))}`;
}

/** Resolves if the request is genuine, else rejects with a WebhookVerificationError. Do not forget the `await`. */
export async function verify(
  body: WebhookBody,
  header: SignatureHeader,
  secret: WebhookSecret,
  options?: VerifyOptions,
): Promise<void> {
  await verified(body, header, secret, options);
}

/** Verifies a request as `verify` does and resolves to its event. */
export async function receive(
  body: WebhookBody,
  header: SignatureHeader,
  secret: WebhookSecret,
  options?: VerifyOptions,
): Promise<WebhookEvent> {
  return parseEvent(await verified(body, header, secret, options));
}

/** Returns a verified copy of the body: the caller's buffer may change during the verification. */
async function verified(...request: Parameters<typeof readClaim>): Promise<Uint8Array> {
  const { t, signatures, secrets, bytes } = readClaim(...request);
  const signed = toSigned(t, bytes);
  refuseMismatch(signatures, await Promise.all(secrets.map((secret) => hmac(secret, signed))));
  return signed.subarray(t.length + 1);
}

function toSigned(t: string, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const signed = new Uint8Array(t.length + 1 + bytes.length);
  signed.set(toBytes(`${t}.`));
  signed.set(bytes, t.length + 1);
  return signed;
}

async function hmac(secret: string, signed: Uint8Array<ArrayBuffer>): Promise<string> {
  try {
    let key = keys.get(secret);
    if (key === undefined) {
      key = await crypto.subtle.importKey(
        "raw",
        toBytes(secret) as Uint8Array<ArrayBuffer>,
        { name: "HMAC", hash: "SHA-256" },
        false,
        ["sign"],
      );
      if (keys.size >= 100) keys.clear();
      keys.set(secret, key);
    }
    const digest = new Uint8Array(await crypto.subtle.sign("HMAC", key, signed));
    return Array.from(digest, (byte) => (byte + 256).toString(16).slice(1)).join("");
  } catch {
    throw new WebhookVerificationError("invalid_runtime", "crypto.subtle fails: is it https?");
  }
}
