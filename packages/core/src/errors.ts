/** Everything that can go wrong, once: the status and the sentence for people that belong to each code. */
export const errorCatalogue = {
  invalid_cursor: { status: 400, message: "This cursor cannot be used here. Start again without one." },
  malformed_request: {
    status: 400,
    message: "This cannot be read as a request: its start, its fields or its body break the rules of HTTP.",
  },
  invalid_json: { status: 400, message: "The request body is not valid JSON." },
  unauthenticated: { status: 401, message: "This needs a token: send `Authorization: Bearer <token>`." },
  invalid_token: { status: 401, message: "This token is mistyped, unknown, expired or revoked." },
  token_scope: { status: 403, message: "This token lacks a scope that the operation needs." },
  forbidden: { status: 403, message: "You may see this, but not do that to it." },
  account_suspended: { status: 403, message: "This account is suspended and cannot change anything." },
  not_found: { status: 404, message: "There is nothing here that you can see." },
  method_not_allowed: {
    status: 405,
    message: "This address does not answer that method. See the Allow header.",
  },
  request_timeout: { status: 408, message: "The request did not come to its end in time. Send it again." },
  slug_taken: { status: 409, message: "You have used this slug already. Choose another." },
  version_conflict: {
    status: 409,
    message: "Someone committed in between. Read the newest version and try again.",
  },
  no_changes: { status: 409, message: "The files equal those of the latest version." },
  prompt_not_published: { status: 409, message: "This prompt is a draft and has no version yet." },
  draft_required: { status: 409, message: "No files were sent and there is no saved draft to commit." },
  version_yanked: { status: 409, message: "This version was yanked and cannot be labelled." },
  version_labelled: { status: 409, message: "A label points to this version. Move or delete it first." },
  label_conflict: { status: 409, message: "The label is not where you expected it to be." },
  run_finished: { status: 409, message: "This run has ended." },
  webhook_limit: { status: 409, message: "An account can have 20 webhooks. Delete one first." },
  webhook_disabled: { status: 409, message: "This webhook is disabled. Enable it first." },
  quota_exceeded: { status: 409, message: "This would exceed a limit on how many there may be." },
  idempotency_key_in_use: {
    status: 409,
    message: "The first request with this Idempotency-Key is still running.",
  },
  gone: { status: 410, message: "This was deleted." },
  precondition_failed: { status: 412, message: "This changed since you read it (If-Match)." },
  payload_too_large: { status: 413, message: "The request body is over its limit." },
  unsupported_media_type: { status: 415, message: "This operation does not read that content type." },
  not_text: { status: 415, message: "This file is binary and cannot be read as text." },
  expectation_failed: { status: 417, message: "Of all that Expect can ask for there is only 100-continue." },
  validation_failed: { status: 422, message: "The request does not fit what the operation takes." },
  invalid_file: { status: 422, message: "A file breaks the rules for paths, sizes or content." },
  invalid_entry: { status: 422, message: "The entry file is missing or does not fit the prompt's kind." },
  invalid_variables: { status: 422, message: "The variables are declared wrongly." },
  webhook_url_refused: { status: 422, message: "A webhook needs an https address on the public internet." },
  idempotency_key_reused: { status: 422, message: "This Idempotency-Key was used with another request." },
  rate_limited: { status: 429, message: "Too many requests. Wait for as long as Retry-After says." },
  headers_too_large: { status: 431, message: "The fields of the request come to more than 16 KiB." },
  internal_error: {
    status: 500,
    message: "Something went wrong on our side. Quote the request id when you report it.",
  },
  unavailable: { status: 503, message: "The service cannot answer right now. Try again shortly." },
} as const satisfies Record<string, { status: number; message: string }>;

/** A code that programs can rely on; it keeps its meaning for as long as `/api/v1` stands. */
export type ErrorCode = keyof typeof errorCatalogue;

/** One thing that was wrong: `path` is a JSON Pointer into the request, `code` names the rule it broke. */
export interface ErrorDetail {
  path: string;
  code: string;
  message: string;
}

/** The body of every error answer. */
export interface ErrorBody {
  error: { code: string; message: string; details?: ErrorDetail[]; requestId: string };
}

/** An error answer of the API, as the server throws it and the client receives it. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode | (string & {});
  readonly status: number;
  readonly details: readonly ErrorDetail[];
  /** The server's id of the failed request; undefined until the server has answered with it. */
  readonly requestId: string | undefined;
  /** For the client: how long the server asked to wait before another try; undefined when it did not say. */
  readonly retryAfterMs: number | undefined;

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

/** Makes the error of a catalogued code, with its own sentence where `message` says more than the catalogue. */
export function apiError(
  code: ErrorCode,
  { message, details }: { message?: string; details?: readonly ErrorDetail[] } = {},
): ApiError {
  const known = errorCatalogue[code];
  return new ApiError({ code, status: known.status, message: message ?? known.message, details });
}
