import { ApiError } from "@promptreg/core/errors";
import ky, { isHTTPError, type Options } from "ky";
import { fillPath, printQuery } from "./address.ts";
import { asClientError, unexpected } from "./errors.ts";
import type { CallOptions, OtherMedium } from "./methods.ts";
import { otherMedia } from "./other-media.ts";
import { routes } from "./routes.ts";

/** Where calls go and how, as `createClient` worked it out. */
export interface Connection {
  /** Without a slash at its end. */
  baseUrl: string;
  token: string | undefined;
  fetch: typeof fetch;
  timeoutMs: number;
  retries: number;
}

/** Any operation's input, once its type has done its duty. */
export interface AnyInput {
  [param: string]: unknown;
  query?: Readonly<Record<string, unknown>>;
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
}

/** Longer than this the caller decides whether to wait, not we. */
const maxWaitMs = 60_000;

/** Calls an operation: sends, reads, and turns every failure into an error of ours. */
export async function call(
  connection: Connection,
  id: keyof typeof routes,
  input: AnyInput = {},
  options: CallOptions & Partial<OtherMedium<string>> = {},
): Promise<unknown> {
  const { query = {}, headers, body, ...params } = input;
  const [method = "", template = ""] = routes[id].split(" ");
  const url = `${connection.baseUrl}/api/v1${fillPath(template, params)}${printQuery(query)}`;
  const request = toRequest(connection, method, { headers, body }, options);
  try {
    return await exchange(url, request, options.accept !== undefined || Object.hasOwn(otherMedia, id));
  } catch (error) {
    if (options.signal?.aborted) throw options.signal.reason;
    if (error instanceof ApiError) throw error;
    throw asClientError(error, { origin: new URL(url).origin, timeoutMs: connection.timeoutMs });
  }
}

async function exchange(url: string, request: Options, isHandedOut: boolean): Promise<unknown> {
  const sent = ky(url, request);
  const response = await sent;
  if (response.status === 204) return undefined;
  if (isHandedOut) return response;
  if (!response.headers.get("content-type")?.startsWith("application/json")) throw unexpected(response);
  try {
    // Read through ky, which keeps to the time limit here too.
    return await sent.json();
  } catch (error) {
    throw error instanceof SyntaxError ? unexpected(response) : error;
  }
}

function toRequest(
  { token, fetch, timeoutMs, retries }: Connection,
  method: string,
  { headers: own = {}, body }: AnyInput,
  { signal, headers: given, idempotencyKey, accept }: CallOptions & Partial<OtherMedium<string>>,
): Options {
  const headers = new Headers(given);
  if (accept !== undefined) headers.set("accept", accept);
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  // Uploads and streams are sent once: the server would not recognise a second one, nor could all be read again.
  const isJson = isData(body);
  const key = method === "POST" ? (idempotencyKey ?? (isJson ? newKey() : undefined)) : undefined;
  if (key !== undefined) headers.set("idempotency-key", key);
  const isRepeatable = isJson && (key !== undefined || ["GET", "PUT", "DELETE"].includes(method));
  return {
    method,
    headers,
    fetch,
    timeout: timeoutMs,
    ...(signal && { signal }),
    ...(isJson ? { json: body } : { body: body as BodyInit }),
    retry: {
      limit: isRepeatable ? retries : 0,
      methods: ["get", "put", "delete", "post"],
      statusCodes: [408, 429, 500, 502, 503, 504],
      afterStatusCodes: [429, 503],
      maxRetryAfter: maxWaitMs,
      jitter: true,
      shouldRetry: ({ error }) =>
        isHTTPError(error) && waitMs(error.response) > maxWaitMs ? false : undefined,
    },
  };
}

/** What is neither text nor bytes nor a form is data, and travels as JSON; undefined is no body. */
const isData = (body: unknown) =>
  typeof body !== "string" &&
  !ArrayBuffer.isView(body) &&
  ![ArrayBuffer, Blob, FormData, URLSearchParams, ReadableStream].some((type) => body instanceof type);

/** Undefined where a browser shows a page without TLS: then a POST is sent once, as there is no key for it. */
const newKey = () => globalThis.crypto?.randomUUID?.();

function waitMs({ headers }: Response): number {
  const after = headers.get("retry-after") ?? "0";
  return /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.now();
}
