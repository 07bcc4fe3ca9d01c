/** Why a request was rejected. `invalid_*` is a mistake of the receiving program, the others of the request. */
export type WebhookVerificationCode =
  | "missing_header"
  | "malformed_header"
  | "timestamp_out_of_tolerance"
  | "signature_mismatch"
  | "malformed_body"
  | "invalid_body"
  | "invalid_secret"
  | "invalid_option"
  | "invalid_runtime";

/**
 * Returns the result of a step. Throws if the step throws or returns nothing: a caller's value can be a proxy with traps.
 * @throws {WebhookVerificationError}
 */
export function demand<T>(
  step: () => T | false | undefined,
  code: WebhookVerificationCode,
  message: () => string,
): T {
  try {
    const value = step();
    if (value) return value;
  } catch {}
  throw new WebhookVerificationError(code, message());
}

/** The error of every rejected request. `message` says what to do, and contains neither the secret nor the body. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
  declare readonly code: WebhookVerificationCode;
  /** The status to return: 500 for a mistake of the receiving program, else 400. Express and Fastify use it by themselves. */
  declare readonly statusCode: 400 | 500;

  constructor(code: WebhookVerificationCode, message: string) {
    super(message);
    this.code = code;
    this.statusCode = code.startsWith("inv") ? 500 : 400;
  }
}
