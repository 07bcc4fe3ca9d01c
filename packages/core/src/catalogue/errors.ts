import type { ErrorTable } from "../language/group.ts";
import { changeRequestErrors } from "../groups/change-requests/errors.ts";
import { commentErrors } from "../groups/comments/errors.ts";
import { contestErrors } from "../groups/contests/errors.ts";
import { discordErrors } from "../groups/discord/errors.ts";
import { evalErrors } from "../groups/evals/errors.ts";
import { importErrors } from "../groups/imports/errors.ts";
import { makeErrors } from "../groups/makes/errors.ts";
import { mediaErrors } from "../groups/media/errors.ts";
import { openInErrors } from "../groups/open-in/errors.ts";
import { postErrors } from "../groups/posts/errors.ts";
import { promptErrors } from "../groups/prompts/errors.ts";
import { reportErrors } from "../groups/reports/errors.ts";
import { suggestionErrors } from "../groups/suggestions/errors.ts";
import { voteErrors } from "../groups/votes/errors.ts";
import { webhookErrors } from "../groups/webhooks/errors.ts";

// Clients and webhook receivers load this file, so it imports no schemas.

/** The errors that belong to no group. */
const systemErrors = {
  invalid_cursor: {
    status: 400,
    message: "This cursor does not belong to this list and its filters. Start again without a cursor.",
  },
  malformed_request: {
    status: 400,
    message: "The request is not valid HTTP. Check its first line, its headers and its body.",
  },
  invalid_json: { status: 400, message: "The request body is not valid JSON." },
  unauthenticated: {
    status: 401,
    message: "This request needs a token. Send `Authorization: Bearer <token>`.",
  },
  invalid_token: {
    status: 401,
    message: "The token is mistyped, unknown, expired or revoked. Use another one.",
  },
  token_scope: {
    status: 403,
    message: "The token lacks a scope that this operation needs. Use a token that has it.",
  },
  forbidden: { status: 403, message: "You do not have permission to do this." },
  account_suspended: { status: 403, message: "This account is suspended and cannot change anything." },
  not_found: { status: 404, message: "Not found. It does not exist, or you do not have access to it." },
  method_not_allowed: {
    status: 405,
    message: "This address does not support this method. See the Allow header.",
  },
  request_timeout: { status: 408, message: "The request did not arrive in time. Send it again." },
  quota_exceeded: {
    status: 409,
    message: "This would exceed a limit. Delete something that you no longer need, then try again.",
  },
  idempotency_key_in_use: {
    status: 409,
    message: "The first request with this Idempotency-Key is still running. Try again soon.",
  },
  gone: { status: 410, message: "This was deleted." },
  precondition_failed: {
    status: 412,
    message: "This changed since you read it (If-Match). Read it again, then retry.",
  },
  payload_too_large: { status: 413, message: "The request body is too large." },
  unsupported_media_type: { status: 415, message: "This operation does not accept this content type." },
  expectation_failed: {
    status: 417,
    message: "The only supported value of the Expect header is `100-continue`.",
  },
  validation_failed: { status: 422, message: "The request has missing, unknown or invalid fields." },
  order_mismatch: {
    status: 422,
    message: "The list must name each of them exactly once. Read them again, then retry.",
  },
  idempotency_key_reused: {
    status: 422,
    message: "This Idempotency-Key was used for a different request. Use a new key.",
  },
  rate_limited: { status: 429, message: "Too many requests. Wait as long as the Retry-After header says." },
  headers_too_large: { status: 431, message: "The request headers are larger than 16 KiB." },
  internal_error: {
    status: 500,
    message: "Something went wrong on the server. Quote the request id when you report it.",
  },
  unavailable: { status: 503, message: "The service is temporarily unavailable. Try again soon." },
} as const satisfies ErrorTable;

// A call marked as pure, since bundlers would keep an unused spread.
/** Every error of the API, by its code. */
export const errorCatalogue = /* @__PURE__ */ (() => ({
  ...systemErrors,
  ...promptErrors,
  ...changeRequestErrors,
  ...commentErrors,
  ...reportErrors,
  ...voteErrors,
  ...evalErrors,
  ...importErrors,
  ...mediaErrors,
  ...makeErrors,
  ...postErrors,
  ...contestErrors,
  ...webhookErrors,
  ...openInErrors,
  ...discordErrors,
  ...suggestionErrors,
}))();

/** A code that programs can rely on: it keeps its meaning as long as `/api/v1` exists. */
export type ErrorCode = keyof typeof errorCatalogue;

/** The error with 503 that stays until an operator sets something up: no `Retry-After` comes with it, and no client retries. */
export const lastingError = "discord_unavailable" satisfies ErrorCode;

/** One problem of a request. `path` is a JSON Pointer into the request. `code` names the broken rule. */
export interface ErrorDetail {
  path: string;
  code: string;
  message: string;
}

/** The body of every error response. */
export interface ErrorBody {
  error: { code: string; message: string; details?: ErrorDetail[]; requestId: string };
}

/** An error response of the API. The server throws it, and the client receives it. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode | (string & {});
  readonly status: number;
  readonly details: readonly ErrorDetail[];
  /** The server's id of the failed request; undefined without a response. */
  readonly requestId: string | undefined;
  /** For the client: how long the server asked to wait before a retry; undefined if it did not say. */
  readonly retryAfterMs: number | undefined;
  /** For the client: what was called, such as `prompts.get`. */
  operation?: string;

  constructor(fields: {
    code: ErrorCode | (string & {});
    status: number;
    message: string;
    details?: readonly ErrorDetail[] | undefined;
    requestId?: string | undefined;
    retryAfterMs?: number | undefined;
  }) {
    super(fields.message);
    this.code = fields.code;
    this.status = fields.status;
    this.details = fields.details ?? [];
    this.requestId = fields.requestId;
    this.retryAfterMs = fields.retryAfterMs;
  }
}

/** `validation_failed` with one detail. `path` is a JSON Pointer into the body, or of a parameter or header; empty for the whole body. */
export const invalid = (path: string, message: string): ApiError =>
  apiError("validation_failed", { message, details: [{ path, code: "custom", message }] });

interface AboutError {
  /** Replaces the message of the catalogue. */
  message?: string;
  details?: readonly ErrorDetail[];
}

/** Creates the error of a code. `validation_failed` always says where. */
export function apiError<Code extends ErrorCode>(
  code: Code,
  ...[about]: [Code] extends ["validation_failed"]
    ? [about: AboutError & Required<Pick<AboutError, "details">>]
    : [about?: AboutError]
): ApiError {
  const { message, details }: AboutError = about ?? {};
  const known = errorCatalogue[code];
  return new ApiError({ code, status: known.status, message: message ?? known.message, details });
}
