import { ApiError, type ErrorDetail } from "@promptreg/core/errors";
import { isHTTPError, isNetworkError, isTimeoutError } from "ky";

/** No answer came: the server is away, the network is down, or it took too long. `cause` is what the runtime said. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
}

/**
 * Says what a failed call is to the caller. The errors of ky stay behind: they hold the request, and with it
 * the token, which would then stand in every log.
 */
export function asClientError(error: unknown, { origin, timeoutMs }: { origin: string; timeoutMs: number }) {
  if (isHTTPError(error)) return asApiError(error.response, error.data);
  if (isTimeoutError(error)) {
    return new ConnectionError(`${origin} did not answer within ${timeoutMs / 1000} seconds. Try again.`);
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
  });
}

const isDetail = (item: Partial<Record<keyof ErrorDetail, unknown>> | null): item is ErrorDetail =>
  typeof item?.path === "string" && typeof item.code === "string" && typeof item.message === "string";

const requestIdOf = (response: Response) => response.headers.get("x-request-id") ?? undefined;

/** The error for an answer that cannot come from a Promptreg server. */
export const unexpected = (response: Response) =>
  new ApiError({
    code: "unexpected_response",
    status: response.status,
    message: `The answer (${response.status}) is not Promptreg's. Check the address, and what stands in between.`,
    requestId: requestIdOf(response),
  });
