import type { WebhookEvent } from "../events.ts";
import { demand } from "./error.ts";

/** The body as it came in, unparsed; a string stands for its UTF-8 bytes: prefer the bytes themselves. */
export type WebhookBody = Uint8Array | ArrayBuffer | string;

/** The bytes of a body, shared with the caller unless it was a string. */
export function toBytes(body: WebhookBody): Uint8Array {
  let told = "unreadable";
  return demand(
    () => {
      if (isText(body)) return new TextEncoder().encode(body);
      const bytes = body instanceof ArrayBuffer ? new Uint8Array(body) : body;
      // A buffer that was handed on elsewhere is empty, and would pass for an empty body.
      if (bytes instanceof Uint8Array && !(bytes.buffer as Partial<ArrayBuffer>).detached) return bytes;
      told = typeOf(body);
      return false;
    },
    "invalid_body",
    () => `The body is ${told}, not bytes: was it parsed?`,
  );
}

const typeOf = (value: unknown): string => ({}).toString.call(value);

/** Reads verified bytes; broken UTF-8 and a byte order mark are refused, never repaired. */
export const parseEvent = (bytes: Uint8Array): WebhookEvent =>
  // The parser's own message would quote the body into logs.
  demand(
    () => {
      const event = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
      const { id, event: name, createdAt, data } = event;
      return [id, name, createdAt].every(isText) && typeOf(data) === "[object Object]" && event;
    },
    "malformed_body",
    () => "The body is no JSON event.",
  );

export function isText(value: unknown): value is string {
  return typeof value === "string";
}
