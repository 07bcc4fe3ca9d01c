import { ApiError, type ErrorDetail } from "@promptreg/core/errors";
import type { Limits } from "./limits.ts";
import type { Response } from "./web.ts";

/** No answer came: the server is away, the network is down, or it took too long. `cause` is what the runtime said. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
}

/** The error for what the runtime says of a connection that could not be made, or broke. */
export function unreachable(url: string, cause: unknown): ConnectionError {
  const code = codeOf(cause);
  const reason = code === undefined ? "" : ` (${code})`;
  return new ConnectionError(
    `${new URL(url).origin} cannot be reached${reason}. Is the server running, and is this its address?`,
    { cause },
  );
}

/** The error for an attempt whose time is up. */
export function tooLate(url: string, { timeoutMs, deadlineMs, leftMs }: Limits): ConnectionError {
  const { origin } = new URL(url);
  // Timers may be a little early.
  const isAtDeadline = leftMs() < 5;
  return new ConnectionError(
    isAtDeadline
      ? `${origin} did not answer within ${deadlineMs / 1000} seconds, all attempts together (deadlineMs).`
      : `${origin} did not answer within ${timeoutMs / 1000} seconds (timeoutMs). Try again.`,
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

/**
 * Reads an error answer. Ours repeats the id that its header names, whatever its code; what does not, such as the page of
 * a proxy or what a gateway says in its own envelope, gets the code `unexpected_response`.
 */
export function asApiError(response: Response, data: unknown): ApiError {
  const { error } = (data ?? {}) as {
    error?: { code?: unknown; message?: unknown; details?: unknown; requestId?: unknown };
  };
  const requestId = requestIdOf(response);
  if (
    typeof error?.code !== "string" ||
    typeof error.message !== "string" ||
    requestId === undefined ||
    error.requestId !== requestId
  )
    return unexpected(response);
  return new ApiError({
    code: error.code,
    status: response.status,
    message: error.message,
    details: Array.isArray(error.details) ? error.details.filter(isDetail) : [],
    requestId,
    retryAfterMs: retryAfterMs(response),
  });
}

const isDetail = (item: Partial<Record<keyof ErrorDetail, unknown>> | null): item is ErrorDetail =>
  typeof item?.path === "string" && typeof item.code === "string" && typeof item.message === "string";

export const requestIdOf = (response: Response) => response.headers.get("x-request-id") ?? undefined;

/** What Retry-After says, in seconds or as a date; undefined when it says nothing. */
function retryAfterMs({ headers }: Response): number | undefined {
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
    `The answer (${response.status}) is not Promptreg's${requestIdOf(response) ? "" : ": it has no X-Request-Id"}. Check the address, and what stands in between.`,
  );

/** The error for 304, which only who sent If-None-Match gets: there is no data that could be returned. */
export const notModified = (response: Response) =>
  refuse(response, "not_modified", "It is still what If-None-Match names.");
