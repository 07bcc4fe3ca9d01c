import { fillPath, printQuery } from "./address.ts";
import type { AnyInput, AnyOptions } from "./calls.ts";
import type { Asked } from "./exchange.ts";
import { routes } from "./generated/routes.ts";
import { bodyTypes, otherMedia } from "./other-media.ts";

export { eachItem } from "./lists.ts";

/**
 * The request of an operation.
 * @throws {TypeError} if the input leads to no path of it.
 */
export function toRequest(
  id: string,
  { query = {}, headers, body, ...params }: AnyInput,
  { headers: given, idempotencyKey, accept, contentType = bodyTypes[id], signal }: AnyOptions = {},
): Asked {
  const [method = "", template = ""] = routes[id as keyof typeof routes].split(" ");
  // Uploads and streams are sent once: the server would not recognise a retry, and a stream cannot be read twice.
  const kind = kindOf(body);
  const isJson = jsonKinds.includes(kind);
  const key = method === "POST" ? (idempotencyKey ?? (isJson ? newKey() : undefined)) : undefined;
  return {
    method,
    path: fillPath(template, params) + printQuery(query),
    isRepeatable: isJson && (key !== undefined || ["GET", "PUT", "DELETE"].includes(method)),
    isRaw: accept !== undefined || Object.hasOwn(otherMedia, id),
    // Not as Headers: the caller's fetch may accept only its own class.
    headers: {
      ...(body !== undefined &&
        (contentType ?? isJson) && { "content-type": contentType ?? "application/json" }),
      ...(given && Object.fromEntries(new Headers(given))),
      ...(accept !== undefined && { accept }),
      ...headers,
      ...(key !== undefined && { "idempotency-key": key }),
    },
    ...(body !== undefined && { body: isJson ? JSON.stringify(body) : body }),
    ...(kind === "ReadableStream" && { duplex: "half" }),
    ...(signal && { signal }),
  };
}

/** The kinds that are sent as JSON: everything but text, bytes and forms. */
const jsonKinds = ["Object", "Array", "Number", "Boolean", "Null", "Undefined"];

/** By name, since the caller's fetch may have its own classes. */
const kindOf = (body: unknown) => Object.prototype.toString.call(body).slice(8, -1);

/** Undefined on a page without TLS, where browsers offer no randomUUID. Without a key, a POST is sent once. */
const newKey = () => globalThis.crypto?.randomUUID?.();
