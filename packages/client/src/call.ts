import { fillPath, printQuery } from "./address.ts";
import { type Fetch, type OnAttempt, type Outgoing, watched } from "./attempts.ts";
import type { Answered, Call, CallOptions, OtherMedium } from "./calls.ts";
import { notModified } from "./errors.ts";
import { limit } from "./limits.ts";
import { eachItem } from "./lists.ts";
import { otherMedia } from "./other-media.ts";
import { routes } from "./generated/routes.ts";
import { send } from "./send.ts";
import { type TokenSource, tokenFor } from "./token.ts";
import type { Response } from "./web.ts";

/** Where calls go and how, as `createClient` worked it out. */
export interface Connection {
  /** Without a slash at its end. */
  baseUrl: string;
  token: string | TokenSource | undefined;
  fetch: Fetch<Response>;
  timeoutMs: number | undefined;
  deadlineMs: number | undefined;
  retries: number;
  onAttempt: OnAttempt | undefined;
  validate: Validate | undefined;
}

/** Checks the JSON of a response. An error that it throws rejects the call. */
export type Validate = (operation: string, response: Response, data: unknown) => void;

/** Any operation's input, once its type has done its duty. */
export interface AnyInput {
  [param: string]: unknown;
  query?: Readonly<Record<string, unknown>>;
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
}

export type AnyOptions = CallOptions & Partial<OtherMedium<string>>;

/** Calls an operation as applications do: the promise is of the data, and has the response and the items at hand. */
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
      // Who asks here hears of a failure here; the other promise is left alone.
      data.catch(() => undefined);
      return answer;
    },
    // Of every call, though only the types of lists show it: a table of them would weigh more than it is worth.
    [Symbol.asyncIterator]: () => eachItem(data, input?.query?.cursor, next),
  });
}

/**
 * Sends, reads, and turns every failure into an error of ours. Data is undefined for 204 and, for who sent
 * If-None-Match, 304; it is the response itself, unread, where the answer is no JSON.
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
  const { isRepeatable, ...request } = toRequest(method, { headers, body }, options, token);
  const { onAttempt } = connection;
  const fetch = onAttempt ? watched(connection.fetch, onAttempt, id) : connection.fetch;
  const isHandedOut = options.accept !== undefined || Object.hasOwn(otherMedia, id);
  const retries = isRepeatable ? connection.retries : 0;
  const answered = await send(url, request, { fetch, limits, isHandedOut, retries });
  if (!isHandedOut) connection.validate?.(id, answered.response, answered.data);
  return answered;
}

function toRequest(
  method: string,
  { headers, body }: AnyInput,
  { headers: given, idempotencyKey, accept, signal }: AnyOptions,
  token: string | undefined,
): Outgoing & { isRepeatable: boolean } {
  // Uploads and streams are sent once: the server would not recognise a second one, nor could all be read again.
  const kind = kindOf(body);
  const isJson = data.includes(kind);
  const key = method === "POST" ? (idempotencyKey ?? (isJson ? newKey() : undefined)) : undefined;
  return {
    method,
    isRepeatable: isJson && (key !== undefined || ["GET", "PUT", "DELETE"].includes(method)),
    // Not as Headers: a fetch that is given may know those of its own alone.
    headers: {
      ...(isJson && body !== undefined && { "content-type": "application/json" }),
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

/** What is neither text nor bytes nor a form travels as JSON. */
const data = ["Object", "Array", "Number", "Boolean", "Null", "Undefined"];

/** By its name, since a fetch that is given may bring classes of its own. */
const kindOf = (body: unknown) => Object.prototype.toString.call(body).slice(8, -1);

/** Undefined where a browser shows a page without TLS: then a POST is sent once, as there is no key for it. */
const newKey = () => globalThis.crypto?.randomUUID?.();
