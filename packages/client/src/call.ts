import { fillPath, printQuery } from "./address.ts";
import { type Fetch, type OnAttempt, type Outgoing, observed } from "./attempts.ts";
import type { Answered, Call, CallOptions, OtherMedium, SentAs } from "./calls.ts";
import { isOurs, notModified } from "./errors.ts";
import { limit } from "./limits.ts";
import { eachItem } from "./lists.ts";
import { bodyTypes, otherMedia } from "./other-media.ts";
import { routes } from "./generated/routes.ts";
import { send } from "./send.ts";
import { type TokenSource, tokenFor } from "./token.ts";
import type { Response } from "./web.ts";

/** Where and how calls are sent, as `createClient` read it from its options. */
export interface Connection {
  /** Without a trailing slash. */
  baseUrl: string;
  token: string | TokenSource | undefined;
  fetch: Fetch<Response>;
  timeoutMs: number | undefined;
  bodyTimeoutMs: number | undefined;
  deadlineMs: number | undefined;
  retries: number;
  onAttempt: OnAttempt | undefined;
  validate: Validate | undefined;
}

/** Checks the JSON of a response. An error that it throws rejects the call. */
export type Validate = (operation: string, response: Response, data: unknown) => void;

/** The input of any operation. The compiler has checked it. */
export interface AnyInput {
  [param: string]: unknown;
  query?: Readonly<Record<string, unknown>>;
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
}

export type AnyOptions = CallOptions & Partial<OtherMedium<string>> & SentAs<string>;

/** Calls an operation for an application. The promise resolves to the data, and offers the response and the items. */
export function call(
  connection: Connection,
  id: keyof typeof routes,
  input?: AnyInput,
  options?: AnyOptions,
): Call<unknown> {
  const answer = exchange(connection, id, input, options).then((answered) => {
    if (answered.response.status === 304) throw notModified(answered.response);
    return answered;
  });
  const data = answer.then((answered) => answered.data);
  const next = (cursor: string) =>
    call(connection, id, { ...input, query: { ...input?.query, cursor } }, options);
  return Object.assign(data, {
    withResponse() {
      // This caller gets the rejection below. Without the catch, the other promise would report it as unhandled.
      data.catch(() => undefined);
      return answer;
    },
    // Every call has it, and only the types of lists show it. A table of lists would make the bundle larger for nothing.
    [Symbol.asyncIterator]: () => eachItem(data, input?.query?.cursor, next),
  });
}

/**
 * Sends a request, reads the response, and turns every failure into an error of ours. Data is undefined for 204, and for
 * 304 after If-None-Match. It is the response itself, unread, if the operation does not return JSON.
 */
export async function exchange(
  connection: Connection,
  id: keyof typeof routes,
  input: AnyInput = {},
  options: AnyOptions = {},
): Promise<Answered<unknown>> {
  const { query = {}, headers, body, ...params } = input;
  const [method = "", template = ""] = routes[id].split(" ");
  const url = `${connection.baseUrl}/api/v1${fillPath(template, params)}${printQuery(query)}`;
  const limits = limit(options, connection);
  options.signal?.throwIfAborted();
  const token = await tokenFor(connection.token, limits, options.signal);
  const contentType = options.contentType ?? bodyTypes[id];
  const { isRepeatable, ...request } = toRequest(
    method,
    { headers, body },
    { ...options, contentType },
    token,
  );
  const { onAttempt } = connection;
  const fetch = onAttempt ? observed(connection.fetch, onAttempt, id) : connection.fetch;
  const isRaw = options.accept !== undefined || Object.hasOwn(otherMedia, id);
  const retries = isRepeatable ? connection.retries : 0;
  const answered = await send(url, request, { fetch, limits, isRaw, retries }).catch((error: unknown) => {
    if (isOurs(error)) error.operation = id;
    throw error;
  });
  if (!isRaw) connection.validate?.(id, answered.response, answered.data);
  return answered;
}

function toRequest(
  method: string,
  { headers, body }: AnyInput,
  { headers: given, idempotencyKey, accept, contentType, signal }: AnyOptions,
  token: string | undefined,
): Outgoing & { isRepeatable: boolean } {
  // Uploads and streams are sent once: the server would not recognise a retry, and a stream cannot be read twice.
  const kind = kindOf(body);
  const isJson = jsonKinds.includes(kind);
  const key = method === "POST" ? (idempotencyKey ?? (isJson ? newKey() : undefined)) : undefined;
  return {
    method,
    isRepeatable: isJson && (key !== undefined || ["GET", "PUT", "DELETE"].includes(method)),
    // Not as Headers: the caller's fetch may accept only its own class.
    headers: {
      ...(body !== undefined &&
        (contentType ?? isJson) && { "content-type": contentType ?? "application/json" }),
      ...(given && Object.fromEntries(new Headers(given))),
      ...(accept !== undefined && { accept }),
      ...headers,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
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
