import type { IncomingMessage } from "node:http";

/** What ended a failed attempt; `status` is an answer that is neither 2xx nor a redirect. */
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

/** A failure that knows its own type, wherever it is thrown. */
export class AttemptError extends Error {
  readonly type: FailureType;

  constructor(type: FailureType, message: string) {
    super(message);
    this.name = "AttemptError";
    this.type = type;
  }
}

/** What the delivery log keeps of one attempt. */
export interface AttemptOutcome {
  /** Whether the endpoint answered 2xx in time, whatever became of the body of its answer. */
  ok: boolean;
  responseStatus: number | null;
  /** The whole attempt, so that an endpoint that drips its answer counts as slow. */
  responseTimeMs: number;
  /** The first 2,048 bytes of the answer's body at most, neither decoded nor unpacked. */
  responseExcerpt: Uint8Array;
  /** The message is for the owner of the webhook: printable ASCII, at most 300 characters. */
  error: { type: FailureType; message: string } | null;
}

/** An outcome before anyone has looked at the clock. */
export type Ending = Omit<AttemptOutcome, "responseTimeMs">;

/** What an attempt is busy with: it decides what an error means. */
export type Stage = "dns" | "connect" | "tls" | "answer";

const timeoutMessages: Record<Stage, string> = {
  dns: "Time ran out while the name was being resolved.",
  connect: "Time ran out while connecting.",
  tls: "Time ran out during the TLS handshake.",
  answer: "Time ran out while waiting for the answer.",
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

/** What an attempt fails with whose time ran out before an answer came. */
export const timedOut = (stage: Stage) => new AttemptError("timeout", timeoutMessages[stage]);

/** The ending of an attempt that met an error before an answer. */
export function failed(error: unknown, stage: Stage): Ending {
  if (error instanceof AttemptError) return failure(error.type, error.message);
  const message = messageOf(error);
  if (stage === "dns") return failure("dns", `The name could not be resolved: ${message}`);
  if (stage === "connect") return failure("connect", `The endpoint could not be reached: ${message}`);
  const code = codeOf(error);
  if (stage === "tls" || /^ERR_(SSL|TLS)/.test(code))
    return failure("tls", `TLS failed: ${withoutAdvice(message)}`);
  if (code.startsWith("HPE_")) return failure("protocol", `The answer is not valid HTTP: ${message}`);
  return failure("reset", "The connection was closed before the answer came.");
}

/** A failure without an answer; the text is made printable and cut to its length here. */
export function failure(type: FailureType, text: string): Ending {
  const message = text.replace(/[^\x20-\x7e]+/g, "?").slice(0, 300);
  return { ok: false, responseStatus: null, responseExcerpt: new Uint8Array(), error: { type, message } };
}

/** What went wrong in TLS, without where in OpenSSL it did, and without advice to whoever runs Node. */
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
  // When every address of a name failed, Node wraps their errors in one that says nothing itself.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}
