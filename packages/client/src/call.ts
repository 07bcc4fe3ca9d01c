import { ApiError } from "@promptreg/core/errors";
import ky, { type Options } from "ky";
import { fillPath, printQuery } from "./address.ts";
import { type OnAttempt, watched } from "./attempts.ts";
import { asClientError, notModified, unexpected } from "./errors.ts";
import { limit } from "./limits.ts";
import { eachItem, lists } from "./lists.ts";
import type { Answered, Call, CallOptions, OtherMedium } from "./methods.ts";
import { otherMedia } from "./other-media.ts";
import { retriesOf } from "./retries.ts";
import { routes } from "./routes.ts";
import { type TokenSource, tokenFor } from "./token.ts";

/** Where calls go and how, as `createClient` worked it out. */
export interface Connection {
  /** Without a slash at its end. */
  baseUrl: string;
  token: string | TokenSource | undefined;
  fetch: typeof fetch;
  timeoutMs: number | undefined;
  deadlineMs: number | undefined;
  retries: number;
  onAttempt: OnAttempt | undefined;
}

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
    ...(lists[id] && { [Symbol.asyncIterator]: () => eachItem(data, input?.query?.cursor, next) }),
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
  const { signal } = options;
  signal?.throwIfAborted();
  const token = await tokenFor(connection.token, limits, signal);
  const { isRepeatable, ...request } = toRequest(method, { headers, body }, options, token);
  const { fetch, onAttempt } = connection;
  try {
    const sent = ky(url, {
      ...request,
      fetch: onAttempt ? watched(fetch, onAttempt, id) : fetch,
      throwHttpErrors: (status) => status !== 304,
      timeout: limits.timeoutMs,
      totalTimeout: Math.max(0, limits.leftMs()),
      retry: retriesOf(isRepeatable ? connection.retries : 0, limits),
      ...(signal && { signal }),
    });
    return await read(sent, options.accept !== undefined || Object.hasOwn(otherMedia, id));
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw error instanceof ApiError ? error : asClientError(error, new URL(url).origin, limits);
  }
}

async function read(sent: ReturnType<typeof ky>, isHandedOut: boolean): Promise<Answered<unknown>> {
  const response = await sent;
  if (response.status === 204 || response.status === 304) return { data: undefined, response };
  if (isHandedOut) return { data: response, response };
  if (!response.headers.get("content-type")?.startsWith("application/json")) throw unexpected(response);
  try {
    // Read through ky, which keeps to the time limits here too.
    return { data: await sent.json(), response };
  } catch (error) {
    throw error instanceof SyntaxError ? unexpected(response) : error;
  }
}

function toRequest(
  method: string,
  { headers: own = {}, body }: AnyInput,
  { headers: given, idempotencyKey, accept }: AnyOptions,
  token: string | undefined,
): Options & { isRepeatable: boolean } {
  const headers = new Headers(given);
  if (accept !== undefined) headers.set("accept", accept);
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  // Uploads and streams are sent once: the server would not recognise a second one, nor could all be read again.
  const isJson = isData(body);
  const key = method === "POST" ? (idempotencyKey ?? (isJson ? newKey() : undefined)) : undefined;
  if (key !== undefined) headers.set("idempotency-key", key);
  const isRepeatable = isJson && (key !== undefined || ["GET", "PUT", "DELETE"].includes(method));
  return { method, headers, isRepeatable, ...(isJson ? { json: body } : { body: body as BodyInit }) };
}

/** What is neither text nor bytes nor a form is data, and travels as JSON; undefined is no body. */
const isData = (body: unknown) =>
  typeof body !== "string" &&
  !ArrayBuffer.isView(body) &&
  ![ArrayBuffer, Blob, FormData, URLSearchParams, ReadableStream].some((type) => body instanceof type);

/** Undefined where a browser shows a page without TLS: then a POST is sent once, as there is no key for it. */
const newKey = () => globalThis.crypto?.randomUUID?.();
