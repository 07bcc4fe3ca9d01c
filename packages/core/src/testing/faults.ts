import type { OperationId } from "../contract.ts";
import { apiError, type ErrorCode, errorCatalogue } from "../errors.ts";
import { chooseRequestId, respondWithError } from "../wire.ts";
import type { Request, Response } from "./web.ts";

/**
 * What goes wrong with a request; each can come late besides.
 * - `{ status: 503 }` is refused with the server's own envelope and the first code that has this status. A status that
 *   no code has, such as 502, and any with `html: true`, comes as the page of a proxy.
 * - `{ status: 200, json: { status: "ok" } }` is answered by somebody else, with this JSON.
 * - `{ code: "gone" }` is refused with that code, and its status.
 * - `{ cut: "before" }` never reaches the server; with `"after"` the server has done it, and its answer is lost; with
 *   `"during"` the answer's head comes, and half of its body.
 * - `{ delayMs: 500 }` is done at once, and answered so much later; after `Infinity` never.
 *
 * Without `retryAfterSeconds` a 429 says one second, and a 503 five, as the server does.
 */
export type Fault = { delayMs?: number } & (
  | { status: number; html?: boolean; retryAfterSeconds?: number }
  | { status: number; json: unknown; retryAfterSeconds?: number }
  | { code: ErrorCode; retryAfterSeconds?: number }
  | { cut: "before" | "after" | "during" }
  | { delayMs: number }
);

/** Which requests have a fault, and how many of them. */
export interface FaultOptions {
  /** Those of one operation, or those of which it says so; all when absent. */
  on?: OperationId | ((request: Request) => boolean);
  /** So many, and then no more; all until `heal` when absent. */
  times?: number;
}

interface Rule extends FaultOptions {
  fault: Fault;
  left: number;
}

/** The faults that are yet to come, in the order in which they were asked for. */
export class Faults {
  #rules: Rule[] = [];

  /** @throws {RangeError} for a status that is no error's, or of no answer with JSON. */
  add(fault: Fault, { times = Infinity, ...which }: FaultOptions): void {
    if ("status" in fault) {
      const [least, what] = "json" in fault ? [200, "with JSON"] : [400, "of the registry or of a proxy"];
      const { status } = fault;
      if (!Number.isInteger(status) || status < least || status > 599)
        throw new RangeError(`A fault ${what} has a status from ${least} to 599, and not ${status}.`);
    }
    this.#rules.push({ ...which, fault, left: times });
  }

  clear(): void {
    this.#rules = [];
  }

  /** The fault of this request, which uses it up once; undefined where nothing goes wrong. */
  take(request: Request, operation: OperationId | null): Fault | undefined {
    const rule = this.#rules.find(
      ({ on, left }) =>
        left > 0 && (on === undefined || (typeof on === "function" ? on(request) : on === operation)),
    );
    if (rule) rule.left -= 1;
    return rule?.fault;
  }
}

/** The answer of a fault that has one of its own. */
export function refusalOf(fault: Fault, request: Request): Response | undefined {
  if (!("status" in fault || "code" in fault)) return undefined;
  const answer =
    "json" in fault ? Response.json(fault.json, { status: fault.status }) : refuse(fault, request);
  const seconds = fault.retryAfterSeconds ?? (answer.status === 429 ? 1 : undefined);
  if (seconds !== undefined) answer.headers.set("retry-after", String(seconds));
  return answer;
}

function refuse(
  fault: { status: number; html?: boolean } | { code: ErrorCode },
  { headers }: Request,
): Response {
  const code = "code" in fault ? fault.code : fault.html ? undefined : codeOf(fault.status);
  return code === undefined
    ? proxyPage((fault as { status: number }).status)
    : respondWithError(apiError(code), chooseRequestId(headers.get("x-request-id")));
}

const codeOf = (status: number): ErrorCode | undefined =>
  (Object.keys(errorCatalogue) as ErrorCode[]).find((code) => errorCatalogue[code].status === status);

function proxyPage(status: number): Response {
  const title = `${status} of a proxy`;
  return new Response(`<!doctype html><title>${title}</title><h1>${title}</h1>`, {
    status,
    headers: { "content-type": "text/html" },
  });
}
