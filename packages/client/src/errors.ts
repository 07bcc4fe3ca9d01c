import { ApiError, type ErrorDetail } from "@promptreg/core/errors";
import { isHTTPError, isNetworkError, isTimeoutError } from "ky";
import type { Limits } from "./limits.ts";
import type { Response } from "./web.ts";

/** No answer came: the server is away, the network is down, or it took too long. `cause` is what the runtime said. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
}

/**
 * Says what a failed call is to the caller. The errors of ky stay behind: they hold the request, and with it
 * the token, which would then stand in every log.
 */
export function asClientError(error: unknown, origin: string, limits: Limits): ApiError | ConnectionError {
  if (isHTTPError(error)) return asApiError(error.response, error.data);
  if (isTimeoutError(error)) {
    // Timers may be a little early.
    const isAtDeadline = limits.leftMs() < 5;
    return new ConnectionError(
      isAtDeadline
        ? `${origin} did not answer within ${limits.deadlineMs / 1000} seconds, all attempts together (deadlineMs).`
        : `${origin} did not answer within ${limits.timeoutMs / 1000} seconds (timeoutMs). Try again.`,
    );
  }
  const cause = isNetworkError(error) ? error.cause : error;
  const code = codeOf(cause);
  const reason = code === undefined ? "" : ` (${code})`;
  return new ConnectionError(
    `${origin} cannot be reached${reason}. Is the server running, and is this its address?`,
    { cause },
  );
}

/** Runtimes wrap what the operating system said, such as ECONNREFUSED, one to three times. */
function codeOf(error: unknown): string | undefined {
  let inner = error as { code?: unknown; cause?: unknown } | null | undefined;
  for (let depth = 0; depth < 5 && typeof inner === "object"; depth += 1) {
    if (typeof inner?.code === "string") return inner.code;
    inner = inner?.cause as typeof inner;
  }
  return undefined;
}

/** Reads an error answer. What is no error of ours, such as the page of a proxy, gets the code `unexpected_response`. */
function asApiError(response: Response, data: unknown): ApiError {
  const { error } = (data ?? {}) as { error?: { code?: unknown; message?: unknown; details?: unknown } };
  if (typeof error?.code !== "string" || typeof error.message !== "string") return unexpected(response);
  return new ApiError({
    code: error.code,
    status: response.status,
    message: error.message,
    details: Array.isArray(error.details) ? error.details.filter(isDetail) : [],
    requestId: requestIdOf(response),
    retryAfterMs: retryAfterMs(response),
  });
}

const isDetail = (item: Partial<Record<keyof ErrorDetail, unknown>> | null): item is ErrorDetail =>
  typeof item?.path === "string" && typeof item.code === "string" && typeof item.message === "string";

export const requestIdOf = (response: Response) => response.headers.get("x-request-id") ?? undefined;

/** What Retry-After says, in seconds or as a date; undefined when it says nothing. */
export function retryAfterMs({ headers }: Response): number | undefined {
  const after = headers.get("retry-after") ?? "";
  const ms = /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** An error for an answer that is none: `code` is one that only the client gives. */
const refuse = (response: Response, code: string, message: string) =>
  new ApiError({
    code,
    status: response.status,
    message,
    requestId: requestIdOf(response),
    retryAfterMs: retryAfterMs(response),
  });

/** The error for an answer that cannot come from a Promptreg server. */
export const unexpected = (response: Response) =>
  refuse(
    response,
    "unexpected_response",
    `The answer (${response.status}) is not Promptreg's. Check the address, and what stands in between.`,
  );

/** The error for 304, which only who sent If-None-Match gets: there is no data that could be returned. */
export const notModified = (response: Response) =>
  refuse(response, "not_modified", "It is still what If-None-Match names.");
