/** Why a request was refused: `invalid_*` by a mistake of the calling program, the others by the request. */
export type WebhookVerificationCode =
  | "missing_header"
  | "malformed_header"
  | "timestamp_out_of_tolerance"
  | "signature_mismatch"
  | "malformed_body"
  | "invalid_body"
  | "invalid_secret"
  | "invalid_option";

/** Thrown for all that is refused: answer 400 to the sender, but 500 when `code` begins with `invalid_`. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
  readonly code: WebhookVerificationCode;

  constructor(code: WebhookVerificationCode, message: string) {
    super(message);
    this.code = code;
  }
}
