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
    "The body must be the raw bytes, read before any JSON parser.",
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
    "The body must be a JSON object with id, event, createdAt and data.",
  );
}

function isEnvelope(value: unknown): value is WebhookEvent {
  return (
    isObject(value) &&
    ["id", "event", "createdAt"].every((name) => isText(value[name])) &&
    isObject(value["data"])
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}
