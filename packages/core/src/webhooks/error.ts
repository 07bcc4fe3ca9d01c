/** Why a request was refused: `invalid_*` by a mistake of the receiving program, the others by the request. */
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
 * What a step gives; refused is what gives nothing, and what throws: a value of the caller can be a proxy with traps of its own.
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

/** Thrown for all that is refused; `message` says what to do about it, and names neither secret nor body. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
  declare readonly code: WebhookVerificationCode;
  /** What to answer: 400, but 500 where the receiving program is mistaken. Express and Fastify do so by themselves. */
  declare readonly statusCode: 400 | 500;

  constructor(code: WebhookVerificationCode, message: string) {
    super(message);
    this.code = code;
    this.statusCode = code.startsWith("inv") ? 500 : 400;
  }
}
