import type { OperationId } from "../contract.ts";
import { apiError, type ErrorCode, errorCatalogue } from "../catalogue/errors.ts";
import { chooseRequestId, respondWithError } from "../wire/index.ts";
import type { Request, Response } from "./web.ts";

/**
 * What goes wrong with a request. Each fault can also have a delay.
 * - `{ status: 503 }`: an error of the server with the first code that has this status. A status without a code, such as
 *   502, and any with `html: true`, is the page of a proxy.
 * - `{ status: 200, json: { status: "ok" } }`: a response of another server, with this JSON.
 * - `{ code: "gone" }`: an error of the server with this code and its status.
 * - `{ cut: "before" }`: the request never reaches the server. With `"after"`, the server processes it, and the response is
 *   lost. With `"during"`, the headers and half of the body arrive.
 * - `{ delayMs: 500 }`: the request is processed at once, and the response comes later; with `Infinity` never.
 *
 * Without `retryAfterSeconds`, Retry-After is one second for a 429 and five for a 503, as on the server.
 */
export type Fault = { delayMs?: number } & (
  | { status: number; html?: boolean; retryAfterSeconds?: number }
  | { status: number; json: unknown; retryAfterSeconds?: number }
  | { code: ErrorCode; retryAfterSeconds?: number }
  | { cut: "before" | "after" | "during" }
  | { delayMs: number }
);

/** Which requests get a fault, and how many. */
export interface FaultOptions {
  /** Requests of one operation, or those for which the function returns true. Default: all. */
  on?: OperationId | ((request: Request) => boolean);
  /** The number of requests. Default: all until `heal`. */
  times?: number;
}

interface Rule extends FaultOptions {
  fault: Fault;
  left: number;
}

/** The faults that remain, in the order in which they were added. */
export class Faults {
  #rules: Rule[] = [];

  /** @throws {RangeError} if the status is not one of an error, or of a response with JSON. */
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

  /** The fault of this request, which counts as one use; undefined if there is none. */
  take(request: Request, operation: OperationId | null): Fault | undefined {
    const rule = this.#rules.find(
      ({ on, left }) =>
        left > 0 && (on === undefined || (typeof on === "function" ? on(request) : on === operation)),
    );
    if (rule) rule.left -= 1;
    return rule?.fault;
  }
}

/** The response of a fault, if it has one. */
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
