import type { IncomingMessage } from "node:http";
import type { Stage } from "../../kernel/reach/request.ts";
import { ReachError } from "../../kernel/reach/resolve.ts";

/** Why an attempt failed; `status` is an answer that is neither 2xx nor a redirect. */
export type FailureType =
  | "dns"
  | "refused_address"
  | "connect"
  | "tls"
  | "timeout"
  | "reset"
  | "protocol"
  | "redirect"
  | "secret"
  | "status";

/** A failure with its type. */
export class AttemptError extends Error {
  readonly type: FailureType;

  constructor(type: FailureType, message: string) {
    super(message);
    this.type = type;
  }
}

/** What the delivery log keeps of one attempt. */
export interface AttemptOutcome {
  /** Whether the endpoint answered 2xx in time. The body does not matter. */
  ok: boolean;
  responseStatus: number | null;
  /** Of the whole attempt, so that an endpoint that answers byte by byte counts as slow. */
  responseTimeMs: number;
  /** At most the first 2,048 bytes of the answer's body, neither decoded nor decompressed. */
  responseExcerpt: Uint8Array;
  /** The message is for the owner of the webhook: printable ASCII, at most 300 characters. */
  error: { type: FailureType; message: string } | null;
}

/** An outcome without its time. */
export type Ending = Omit<AttemptOutcome, "responseTimeMs">;

const timeoutMessages: Record<Stage, string> = {
  dns: "Timed out while resolving the name.",
  connect: "Timed out while connecting.",
  tls: "Timed out during the TLS handshake.",
  answer: "Timed out while waiting for the answer.",
};

/** The ending of an attempt that was answered: the status alone decides. */
export function answered(answer: IncomingMessage, responseExcerpt: Uint8Array): Ending {
  const responseStatus = answer.statusCode ?? 0;
  if (responseStatus >= 200 && responseStatus < 300) {
    return { ok: true, responseStatus, responseExcerpt, error: null };
  }
  const location = answer.headers.location ?? "nowhere";
  const failed =
    responseStatus >= 300 && responseStatus < 400
      ? failure(
          "redirect",
          `The endpoint answered ${responseStatus} to ${location}; redirects are not followed.`,
        )
      : failure("status", `The endpoint answered ${responseStatus} instead of 2xx.`);
  return { ...failed, responseStatus, responseExcerpt };
}

/** The error of an attempt that timed out before an answer. */
export const timedOut = (stage: Stage) => new AttemptError("timeout", timeoutMessages[stage]);

/** The ending of an attempt that met an error before an answer. */
export function failed(error: unknown, stage: Stage): Ending {
  if (error instanceof AttemptError || error instanceof ReachError) return failure(error.type, error.message);
  const message = messageOf(error);
  if (stage === "dns") return failure("dns", `Cannot resolve the name: ${message}`);
  if (stage === "connect") return failure("connect", `Cannot connect to the endpoint: ${message}`);
  const code = codeOf(error);
  if (stage === "tls" || /ERR_(SSL|TLS)_/.test(code))
    return failure("tls", `TLS failed: ${withoutAdvice(message)}`);
  if (code.startsWith("HPE_")) return failure("protocol", `The answer is not valid HTTP: ${message}`);
  return failure("reset", "The connection was closed before the answer came.");
}

/** A failure without an answer; the text is made printable and cut to its length here. */
export function failure(type: FailureType, text: string): Ending {
  const message = text.replace(/[^\x20-\x7e]+/g, "?").slice(0, 300);
  return { ok: false, responseStatus: null, responseExcerpt: new Uint8Array(), error: { type, message } };
}

/** The reason of a TLS error, without OpenSSL's source location and Node's advice to operators. */
function withoutAdvice(message: string): string {
  const [, reason] = /:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):/.exec(message) ?? [];
  return reason ?? message.replace(/; if the root CA is installed locally.*/, "");
}

/** The code of a Node error, or an empty text. */
export function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | undefined)?.code ?? "";
}

/** The text of anything thrown. */
export function messageOf(error: unknown): string {
  // If every address of a name failed, Node wraps their errors in one without a message.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}
