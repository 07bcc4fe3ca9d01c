import { ApiError, apiError, invalid } from "@promptreg/core/errors";

/** SQLSTATE classes and postgres.js codes for a database that is down, starting, full, overloaded, read-only, or ended a deadlock. */
const isUnavailable = (code: string) =>
  /^(08|53|57|25006|40)/.test(code) || /^(CONNECT|CONNECTION_|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND)/.test(code);
/** A disk that is full, or cannot be written. */
const isFull = (code: string) => ["ENOSPC", "EDQUOT", "EROFS"].includes(code);
/** Text that no column can store: NUL, or invalid UTF-8. */
const isUnstorable = (code: string) => code === "22021" || code === "22P05";

/** The error that a caller gets for any failure. Unknown failures become `internal_error`, without details. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { code, severity } = (error ?? {}) as { code?: unknown; severity?: unknown };
  // An error that ends a session, or prevents one, is not the fault of the request.
  if (severity === "FATAL" || severity === "PANIC") return apiError("unavailable");
  if (typeof code === "string") {
    if (isUnavailable(code) || isFull(code)) return apiError("unavailable");
    if (isUnstorable(code)) return invalid("", "Text must be Unicode without NUL.");
  }
  return apiError("internal_error");
}
