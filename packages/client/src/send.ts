import { ApiError, lastingError } from "@promptreg/core/errors";
import ky, { isNetworkError, isTimeoutError } from "ky";
import type { Fetch, Outgoing } from "./attempts.ts";
import { inTime, type Reading, readText } from "./body.ts";
import type { Answered } from "./calls.ts";
import { advised, asApiError, isOurs, requestIdOf, timedOut, unexpected, unreachable } from "./errors.ts";
import type { Limits } from "./limits.ts";
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
      if (pauseMs === undefined)
        throw advised(isOurs(error) ? error : unreachable(url, error), request.method);
      await within(pauseMs, new Promise(() => {}), request.signal);
    }
  }
}

/** Sends one attempt, and reads the response, unless the caller gets it unread. Passes on errors of `fetch`. */
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
  const release = () => given?.removeEventListener("abort", follow);
  // An unread response would keep its connection.
  const end = () => {
    release();
    ended.abort();
  };
  try {
    const response = await ky(url, {
      method: request.method,
      signal: ended.signal,
      // ky passes a Request of the runtime's own class, which another fetch cannot read. Its signal follows ours so weakly that both are
      // lost when memory is collected: then nothing would end a connection. After ky's timeout, `end` aborts ours.
      fetch: () => fetch(url, { ...request, signal: ended.signal }),
      throwHttpErrors: false,
      timeout: Math.max(0, Math.min(limits.timeoutMs, limits.leftMs())),
      // For its retries, ky would clone each request, even without a retry.
      retry: 0,
    });
    const reading = { url, limits, signal: given };
    const data = await read(response, reading, isRaw);
    if (data === response) {
      // Its reader has no deadline. Loaded on use: most calls are for JSON.
      const alone = { ...reading, limits: { ...limits, bodyLeftMs: () => Infinity } };
      const wait = <T>(part: Promise<T>) =>
        inTime(part, alone).catch((error: unknown) => {
          end();
          throw advised(error, request.method);
        });
      const { unread } = await import("./unread.ts");
      const file = unread(response, wait, end);
      return { data: file, response: file };
    }
    release();
    return { data, response };
  } catch (error) {
    end();
    if (isTimeoutError(error)) throw timedOut(url, limits, false);
    // Not ky's own errors, since they contain the request.
    throw isNetworkError(error) ? error.cause : error;
  }
}

/** Every response of the registry has a request id. Only a 304 may come from a cache in front of it. */
async function read(response: Response, reading: Reading, isRaw: boolean): Promise<unknown> {
  if (response.status === 304) return undefined;
  if (!response.ok) throw asApiError(response, await readJson(response, reading));
  if (requestIdOf(response) === undefined) throw unexpected(response);
  if (response.status === 204) return undefined;
  if (isRaw) return response;
  if (!response.headers.get("content-type")?.startsWith("application/json")) throw unexpected(response);
  const data = await readJson(response, reading);
  if (data === undefined) throw unexpected(response);
  return data;
}

/** Undefined if the body is not JSON. */
async function readJson(response: Response, reading: Reading): Promise<unknown> {
  const text = await readText(response, reading);
  try {
    return JSON.parse(text ?? "");
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
    ? temporaryStatuses.includes(error.status) && error.code !== lastingError
    : // An error that is not ours comes from `fetch`. An aborted attempt has used its time.
      !(isOurs(error) || /^(Abort|Timeout)Error$/.test(error?.name));
  if (!isTemporary) return undefined;
  const askedMs = isAnswer ? error.retryAfterMs : undefined;
  const longestMs = askedMs ?? 300 * 2 ** (attempt - 1);
  return longestMs < leftMs() ? (askedMs ?? longestMs * Math.random()) : undefined;
}
