import { ApiError, type ErrorDetail } from "@promptreg/core/errors";
import type { Limits } from "./limits.ts";
import type { Response } from "./web.ts";

/** No response came, or not all of it: the network is down, or it took too long. `cause` is the error of the runtime. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /** Whether the request may have arrived. If it was to change something, that may have happened. */
  readonly isSent: boolean;
  /** What was called, such as `prompts.get`. */
  operation?: string;

  constructor(message: string, { isSent = false, cause }: { isSent?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.isSent = isSent;
  }
}

export const isOurs = (error: unknown): error is ApiError | ConnectionError =>
  error instanceof ApiError || error instanceof ConnectionError;

/** The error for a request that got no response. */
export function unreachable(url: string, cause: unknown): ConnectionError {
  const code = codeOf(cause);
  const { origin } = new URL(url);
  const reason = code === undefined ? "" : ` (${code})`;
  // The codes of a connection that existed. Runtimes without codes only say that `fetch` failed.
  const isSent = /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(code ?? "");
  const said = isSent
    ? `closed the connection before it answered${reason}.`
    : `cannot be reached${reason}. Is the server running, and is this its address?`;
  const isPlain = url.startsWith("http:");
  const other = isPlain
    ? (isSent || code?.startsWith("HPE_")) && "https"
    : /SSL|EPROTO/.test(code ?? "") && "http";
  const scheme = other ? ` Does its address begin with ${other}://?` : "";
  return new ConnectionError(`${origin} ${said}${scheme}`, { isSent, cause });
}

/** The error for a response that broke off. */
export const broken = (url: string, cause: unknown) =>
  new ConnectionError(
    `The connection to ${new URL(url).origin} broke off before the response was complete.`,
    { isSent: true, cause },
  );

/** The error for an attempt that took too long, or for a response that began and fell silent. */
export function timedOut(url: string, limits: Limits, hasBegun: boolean): ConnectionError {
  const { origin } = new URL(url);
  // Timers may fire a little early.
  const isAtDeadline = (hasBegun ? limits.bodyLeftMs() : limits.leftMs()) < 5;
  const deadlineMs = hasBegun ? limits.bodyDeadlineMs : limits.deadlineMs;
  const within = (ms: number) => `did not answer within ${ms / 1000} seconds`;
  const said = isAtDeadline
    ? `${within(deadlineMs)}, all attempts together (deadlineMs).`
    : hasBegun
      ? `stopped in the middle of its response, and sent nothing for ${limits.bodyTimeoutMs / 1000} seconds.`
      : `${within(limits.timeoutMs)} (timeoutMs).`;
  return new ConnectionError(`${origin} ${said}`, { isSent: true });
}

/** Adds to an error what it means for the request. */
export function advised(error: unknown, method: string): unknown {
  if (error instanceof ConnectionError && error.isSent)
    error.message +=
      method === "GET" ? " Try again." : " The change may have been made. Look before you try again.";
  return error;
}

/** Runtimes wrap the error of the operating system, such as ECONNREFUSED, one to three times. */
function codeOf(error: unknown): string | undefined {
  let inner = error as { code?: unknown; cause?: unknown } | null | undefined;
  for (let depth = 0; depth < 5 && typeof inner === "object"; depth += 1) {
    if (typeof inner?.code === "string") return inner.code;
    inner = inner?.cause as typeof inner;
  }
  return undefined;
}

/**
 * Reads an error response. An error of the registry repeats the request id of its header, whatever its code. Others, such as
 * the page of a proxy or the error of a gateway, get the code `unexpected_response`.
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

/** Reads Retry-After, in seconds or as a date; undefined if it is missing or malformed. */
function retryAfterMs({ headers }: Response): number | undefined {
  const after = headers.get("retry-after") ?? "";
  const ms = /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** An error that the client itself makes for a response; no server uses its `code`. */
const clientError = (response: Response, code: string, message: string) =>
  new ApiError({
    code,
    status: response.status,
    message,
    requestId: requestIdOf(response),
    retryAfterMs: retryAfterMs(response),
  });

/** The error for a response that cannot come from a Promptreg server. */
export const unexpected = (response: Response) =>
  clientError(
    response,
    "unexpected_response",
    `The response (${response.status}) is not from Promptreg${requestIdOf(response) ? "" : ": it has no X-Request-Id"}. Check the address, and any proxy in between.`,
  );

/** The error for 304, after If-None-Match: there is no data to return. */
export const notModified = (response: Response) =>
  clientError(response, "not_modified", "Not modified: If-None-Match names the current ETag.");
