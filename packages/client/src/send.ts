import { ApiError } from "@promptreg/core/errors";
import ky, { isNetworkError, isTimeoutError } from "ky";
import type { Fetch, Outgoing } from "./attempts.ts";
import { asApiError, ConnectionError, requestIdOf, timedOut, unexpected, unreachable } from "./errors.ts";
import type { Limits } from "./limits.ts";
import type { Answered } from "./calls.ts";
import { within } from "./within.ts";

/** How a request is sent. */
export interface Sending {
  fetch: Fetch<Response>;
  limits: Limits;
  /** After temporary failures. */
  retries: number;
  /** Whether the caller gets the response unread. */
  isRaw: boolean;
}

/**
 * Sends a request, with retries, and reads the response.
 * @throws {ApiError | ConnectionError} or the reason of the signal.
 */
export async function send(url: string, request: Outgoing, sending: Sending): Promise<Answered<unknown>> {
  const { limits, retries } = sending;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await sendOnce(url, request, sending);
    } catch (error) {
      request.signal?.throwIfAborted();
      const pauseMs = attempt > retries ? undefined : pauseAfter(error as Error, attempt, limits);
      if (pauseMs === undefined) throw isOurs(error) ? error : unreachable(url, error);
      await within(pauseMs, new Promise(() => {}), request.signal);
    }
  }
}

const isOurs = (error: unknown) => error instanceof ApiError || error instanceof ConnectionError;

/** Sends one attempt. Its limit includes the body, unless the caller gets the response unread. Passes on errors of `fetch`. */
async function sendOnce(
  url: string,
  request: Outgoing,
  { fetch, limits, isRaw }: Sending,
): Promise<Answered<unknown>> {
  const ended = new AbortController();
  const given = request.signal;
  // Not AbortSignal.any, as in ky: a signal that lives long would keep its results for as long.
  const follow = () => ended.abort(given?.reason);
  given?.addEventListener("abort", follow);
  let isStreaming = isRaw;
  const sent = ky(url, {
    method: request.method,
    signal: ended.signal,
    // ky passes a Request of the runtime's own class, which another fetch cannot read.
    fetch: (asked) => fetch(url, { ...request, signal: (asked as Request).signal }),
    throwHttpErrors: false,
    timeout: limits.timeoutMs,
    totalTimeout: Math.max(0, limits.leftMs()),
    // For its retries, ky would clone each request, even without a retry.
    retry: 0,
  });
  try {
    return await read(url, await sent, { isRaw, text: () => sent.text() });
  } catch (error) {
    isStreaming = false;
    // An unread response would keep its connection.
    ended.abort();
    if (isTimeoutError(error)) throw timedOut(url, limits);
    // Not ky's own errors, since they contain the request.
    throw isNetworkError(error) ? error.cause : error;
  } finally {
    if (!isStreaming) given?.removeEventListener("abort", follow);
  }
}

/** Every response of the registry has a request id. Only a 304 may come from a cache in front of it. */
async function read(
  url: string,
  response: Response,
  { isRaw, text }: { isRaw: boolean; text: () => Promise<string> },
): Promise<Answered<unknown>> {
  if (response.status === 304) return { data: undefined, response };
  if (!response.ok) throw asApiError(response, await readJson(url, text));
  if (requestIdOf(response) === undefined) throw unexpected(response);
  if (response.status === 204) return { data: undefined, response };
  if (isRaw) return { data: response, response };
  if (!response.headers.get("content-type")?.startsWith("application/json")) throw unexpected(response);
  const data = await readJson(url, text);
  if (data === undefined) throw unexpected(response);
  return { data, response };
}

/** Undefined if the body is not JSON. */
async function readJson(url: string, read: () => Promise<string>): Promise<unknown> {
  // Read through ky, which applies the time limits here too.
  const text = await read().catch((error: unknown) => {
    throw isTimeoutError(error) ? error : unreachable(url, error);
  });
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const temporaryStatuses = [408, 429, 500, 502, 503, 504];

/**
 * The pause after an attempt, counted from 1, before a retry: as long as the server asks, or random up to 300 ms, doubled
 * each time. Undefined means no retry: the failure is permanent, the attempt timed out or broke off, or the deadline may
 * come first. The caller then gets the error at once.
 */
function pauseAfter(error: Error, attempt: number, { leftMs }: Limits): number | undefined {
  const isAnswer = error instanceof ApiError;
  const isTemporary = isAnswer
    ? temporaryStatuses.includes(error.status)
    : // An error that is not ours comes from `fetch`. An aborted attempt has used its time.
      !(isOurs(error) || /^(Abort|Timeout)Error$/.test(error?.name));
  if (!isTemporary) return undefined;
  const askedMs = isAnswer ? error.retryAfterMs : undefined;
  const longestMs = askedMs ?? 300 * 2 ** (attempt - 1);
  return longestMs < leftMs() ? (askedMs ?? longestMs * Math.random()) : undefined;
}
