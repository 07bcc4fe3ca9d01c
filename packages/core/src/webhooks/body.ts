import type { WebhookEvent } from "../catalogue/events.ts";
import { demand } from "./error.ts";

/** The unparsed body. A string means its UTF-8 bytes; prefer the bytes themselves. */
export type WebhookBody = Uint8Array | ArrayBuffer | string;

/** The bytes of a body, shared with the caller unless it was a string. */
export function toBytes(body: WebhookBody): Uint8Array {
  let type = "unreadable";
  return demand(
    () => {
      if (isText(body)) return new TextEncoder().encode(body);
      const bytes = body instanceof ArrayBuffer ? new Uint8Array(body) : body;
      // A transferred buffer is empty, and would count as an empty body.
      if (bytes instanceof Uint8Array && !(bytes.buffer as Partial<ArrayBuffer>).detached) return bytes;
      type = typeOf(body);
      return false;
    },
    "invalid_body",
    () => `The body is ${type}, not bytes: was it parsed?`,
  );
}

const typeOf = (value: unknown): string => ({}).toString.call(value);

/** Parses verified bytes. Broken UTF-8 and a byte order mark are errors, and never repaired. */
export const parseEvent = (bytes: Uint8Array): WebhookEvent =>
  // The parser's own message would write parts of the body into logs.
  demand(
    () => {
      const event = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
      const { id, event: name, createdAt, data } = event;
      return [id, name, createdAt].every(isText) && typeOf(data) === "[object Object]" && event;
    },
    "malformed_body",
    () => "The body is not a JSON event.",
  );

export function isText(value: unknown): value is string {
  return typeof value === "string";
}
