import { ApiError } from "@promptreg/core/errors";
import ky, { isHTTPError, isNetworkError, type Options } from "ky";
import { asClientError, retryAfterMs, unexpected } from "./errors.ts";
import type { Limits } from "./limits.ts";
import type { Answered } from "./methods.ts";
import { within } from "./within.ts";

/** How a request is sent, beside what it says. */
export interface Sending {
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
export async function send(
  url: string,
  request: Options,
  { limits, retries, isHandedOut }: Sending,
): Promise<Answered<unknown>> {
  for (let attempt = 1; ; attempt += 1) {
    const sent = ky(url, {
      ...request,
      throwHttpErrors: (status) => status !== 304,
      timeout: limits.timeoutMs,
      totalTimeout: Math.max(0, limits.leftMs()),
      // The repetitions of ky copy each request beforehand, whether it is sent again or not.
      retry: 0,
    });
    try {
      return await read(sent, isHandedOut);
    } catch (error) {
      if (request.signal?.aborted) throw request.signal.reason;
      const pauseMs = attempt > retries ? undefined : pauseAfter(error, attempt, limits);
      if (pauseMs === undefined)
        throw error instanceof ApiError ? error : asClientError(error, new URL(url).origin, limits);
      await within(pauseMs, new Promise(() => {}), request.signal ?? undefined);
    }
  }
}

async function read(sent: ReturnType<typeof ky>, isHandedOut: boolean): Promise<Answered<unknown>> {
  const response = await sent;
  if (response.status === 204 || response.status === 304) return { data: undefined, response };
  if (isHandedOut) return { data: response, response };
  if (!response.headers.get("content-type")?.startsWith("application/json")) throw unexpected(response);
  try {
    // Read through ky, which keeps to the time limits here too.
    return { data: JSON.parse(await sent.text()), response };
  } catch (error) {
    throw error instanceof SyntaxError ? unexpected(response) : error;
  }
}

const forTheMoment = [408, 429, 500, 502, 503, 504];

/**
 * How long to wait after an attempt, counted from 1, before what failed is sent again: as long as the server asks, or
 * at random up to 300 ms, twice as long each time. Undefined for what would fail again, for what took too long, and
 * where the deadline might come first: the caller hears at once.
 */
function pauseAfter(error: unknown, attempt: number, { leftMs }: Limits): number | undefined {
  const isHttp = isHTTPError(error);
  if (isHttp ? !forTheMoment.includes(error.response.status) : !isNetworkError(error)) return undefined;
  const askedMs = isHttp ? retryAfterMs(error.response) : undefined;
  const longestMs = askedMs ?? 300 * 2 ** (attempt - 1);
  return longestMs < leftMs() ? (askedMs ?? longestMs * Math.random()) : undefined;
}
