import { ApiError } from "@promptreg/core/errors";
import ky, { isNetworkError, isTimeoutError } from "ky";
import type { Fetch, Outgoing } from "./attempts.ts";
import { asApiError, ConnectionError, requestIdOf, tooLate, unexpected, unreachable } from "./errors.ts";
import type { Limits } from "./limits.ts";
import type { Answered } from "./calls.ts";
import { within } from "./within.ts";

/** How a request is sent, beside what it says. */
export interface Sending {
  fetch: Fetch<Response>;
  limits: Limits;
  /** Of what failed for the moment. */
  retries: number;
  /** Whether the answer is left unread. */
  isHandedOut: boolean;
}

/**
 * Sends a request until there is an answer that counts, and reads that.
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

/** Throws as it comes what `fetch` rejects with. Time ends with the answer, or with its head where that is handed out. */
async function sendOnce(
  url: string,
  request: Outgoing,
  { fetch, limits, isHandedOut }: Sending,
): Promise<Answered<unknown>> {
  const ended = new AbortController();
  const given = request.signal;
  // Not by AbortSignal.any, as ky would, which a signal that lives long keeps for as long.
  const follow = () => ended.abort(given?.reason);
  given?.addEventListener("abort", follow);
  let goesOn = isHandedOut;
  const sent = ky(url, {
    method: request.method,
    signal: ended.signal,
    // What ky calls it with is a Request of the runtime's own class, which no other fetch can read.
    fetch: (asked) => fetch(url, { ...request, signal: (asked as Request).signal }),
    throwHttpErrors: false,
    timeout: limits.timeoutMs,
    totalTimeout: Math.max(0, limits.leftMs()),
    // The repetitions of ky copy each request beforehand, whether it is sent again or not.
    retry: 0,
  });
  try {
    return await read(url, await sent, { isHandedOut, text: () => sent.text() });
  } catch (error) {
    goesOn = false;
    // What was not read would hold its connection.
    ended.abort();
    if (isTimeoutError(error)) throw tooLate(url, limits);
    // The errors of ky stay behind: they hold the request.
    throw isNetworkError(error) ? error.cause : error;
  } finally {
    if (!goesOn) given?.removeEventListener("abort", follow);
  }
}

/** Every answer of the registry has an id, but for the 304 of a cache that stands in front of it. */
async function read(
  url: string,
  response: Response,
  { isHandedOut, text }: { isHandedOut: boolean; text: () => Promise<string> },
): Promise<Answered<unknown>> {
  if (response.status === 304) return { data: undefined, response };
  if (!response.ok) throw asApiError(response, await readJson(url, text));
  if (requestIdOf(response) === undefined) throw unexpected(response);
  if (response.status === 204) return { data: undefined, response };
  if (isHandedOut) return { data: response, response };
  if (!response.headers.get("content-type")?.startsWith("application/json")) throw unexpected(response);
  const data = await readJson(url, text);
  if (data === undefined) throw unexpected(response);
  return { data, response };
}

/** Undefined for what is no JSON. */
async function readJson(url: string, read: () => Promise<string>): Promise<unknown> {
  // Read through ky, which keeps to the time limits here too.
  const text = await read().catch((error: unknown) => {
    throw isTimeoutError(error) ? error : unreachable(url, error);
  });
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const forTheMoment = [408, 429, 500, 502, 503, 504];

/**
 * How long to wait after an attempt, counted from 1, before what failed is sent again: as long as the server asks, or
 * at random up to 300 ms, twice as long each time. Undefined for what would fail again, for what took too long or broke
 * off, and where the deadline might come first: the caller hears at once.
 */
function pauseAfter(error: Error, attempt: number, { leftMs }: Limits): number | undefined {
  const isAnswer = error instanceof ApiError;
  const isPassing = isAnswer
    ? forTheMoment.includes(error.status)
    : // What is no error of ours `fetch` has said; one that was ended took its time.
      !(isOurs(error) || /^(Abort|Timeout)Error$/.test(error?.name));
  if (!isPassing) return undefined;
  const askedMs = isAnswer ? error.retryAfterMs : undefined;
  const longestMs = askedMs ?? 300 * 2 ** (attempt - 1);
  return longestMs < leftMs() ? (askedMs ?? longestMs * Math.random()) : undefined;
}
