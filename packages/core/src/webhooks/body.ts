import type { WebhookEvent } from "../events.ts";
import { attempt, WebhookVerificationError } from "./error.ts";

/** The body as it came in, unparsed; a string stands for its UTF-8 bytes: prefer the bytes themselves. */
export type WebhookBody = Uint8Array | ArrayBuffer | string;

/** The bytes of a body, shared with the caller unless it was a string. */
export function toBytes(body: WebhookBody): Uint8Array {
  const bytes = attempt(() => readBytes(body));
  if (bytes) return bytes;
  const told = attempt(() => ({}).toString.call(body)) ?? "unreadable";
  throw new WebhookVerificationError(
    "invalid_body",
    `The body is ${told}, not bytes as they came: was it parsed before it was verified?`,
  );
}

function readBytes(body: WebhookBody): Uint8Array | undefined {
  if (isText(body)) return new TextEncoder().encode(body);
  const bytes = body instanceof ArrayBuffer ? new Uint8Array(body) : body;
  // A buffer that was handed on elsewhere is empty, and would pass for an empty body.
  const isHeld = bytes instanceof Uint8Array && !(bytes.buffer as Partial<ArrayBuffer>).detached;
  return isHeld ? bytes : undefined;
}

/** Reads verified bytes; broken UTF-8 and a byte order mark are refused, never repaired. */
export function parseEvent(bytes: Uint8Array): WebhookEvent {
  // The parser's own message would quote the body into logs.
  const value: unknown = attempt(() =>
    JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)),
  );
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
