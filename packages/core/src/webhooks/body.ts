import type { WebhookEvent } from "../events.ts";
import { WebhookVerificationError } from "./error.ts";

/** The body as it came in, unparsed; a string stands for its UTF-8 bytes: prefer the bytes themselves. */
export type WebhookBody = Uint8Array | ArrayBuffer | string;

/** The bytes of a body, shared with the caller unless it was a string. */
export function toBytes(body: WebhookBody): Uint8Array {
  if (isText(body)) return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new WebhookVerificationError(
    "invalid_body",
    `The body is ${{}.toString.call(body)}, not bytes as they came: was it parsed before it was verified?`,
  );
}

/** Reads verified bytes; broken UTF-8 and a byte order mark are refused, never repaired. */
export function parseEvent(bytes: Uint8Array): WebhookEvent {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    // Left undefined, and so refused below. The parser's own message would quote the body into logs.
  }
  if (isEnvelope(value)) return value;
  throw new WebhookVerificationError(
    "malformed_body",
    "The body is no JSON object with id, event, createdAt and data.",
  );
}

function isEnvelope(value: unknown): value is WebhookEvent {
  const { id, event, createdAt, data } = Object(value) as Record<string, unknown>;
  const isObject = typeof data === "object" && data !== null && !Array.isArray(data);
  return isObject && [id, event, createdAt].every(isText);
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}
