import { STATUS_CODES } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { OperationId } from "@promptreg/core";
import { type Faults, refusalOf } from "./faults.ts";
import { operationOf } from "./operations.ts";

/** A request that was sent, whatever became of it. */
export interface SentRequest {
  method: string;
  /** With the query: `/api/v1/prompts/ada/greeting?label=production`. */
  path: string;
  /** Null where it calls none, such as a page. */
  operation: OperationId | null;
  /** Of its answer; null until there is one, and where none came. */
  status: number | null;
}

const redirects = [301, 302, 303, 307, 308];
const mostRedirects = 20;

/**
 * A `fetch` that reaches `app` without a network, and fails as the network would: with a TypeError, and with the
 * signal's reason.
 */
export function fetchFrom(
  app: { fetch(request: Request): Response | Promise<Response> },
  {
    origin,
    faults,
    requests,
    isOpen,
  }: { origin: string; faults: Faults; requests: SentRequest[]; isOpen: () => boolean },
): typeof fetch {
  return async (input, init) => {
    let request = new Request(input, init);
    for (let hops = 0; ; hops++) {
      const again = request.clone();
      const response = await orAborted(exchange(request), request.signal);
      const location = redirects.includes(response.status) ? response.headers.get("location") : null;
      if (location === null || request.redirect === "manual") {
        return asReceived(response, request, hops > 0);
      }
      if (request.redirect === "error") throw failed("unexpected redirect");
      if (hops === mostRedirects) throw failed("redirect count exceeded");
      // The server leads only reads elsewhere without saying that the method stays.
      request = new Request(new URL(location, request.url), again);
    }
  };

  async function exchange(request: Request): Promise<Response> {
    const { method, signal } = request;
    const url = new URL(request.url);
    if (url.origin !== origin) {
      throw new Error(
        `This fetch leads to ${origin} alone, and not to ${url.origin}: use the registry's baseUrl.`,
      );
    }
    signal.throwIfAborted();
    if (!isOpen()) throw failed("connect ECONNREFUSED", "ECONNREFUSED");
    const operation = operationOf(request);
    const sent: SentRequest = { method, path: url.pathname + url.search, operation, status: null };
    requests.push(sent);
    const fault = faults.take(request, operation) ?? { delayMs: 0 };
    const cut = "cut" in fault ? fault.cut : undefined;
    const answer = cut === "before" ? undefined : (refusalOf(fault, request) ?? (await app.fetch(request)));
    if (fault.delayMs) await delay(fault.delayMs, undefined, { signal });
    if (answer === undefined || cut === "after" || (cut === "during" && answer.body === null)) {
      throw failed("other side closed", "UND_ERR_SOCKET");
    }
    sent.status = answer.status;
    return cut === "during" ? await cutShort(answer) : answer;
  }
}

/** As an application sees it that was answered over the network: with its address, and a body that can be aborted. */
function asReceived(response: Response, { url, signal }: Request, redirected: boolean): Response {
  const { status, headers, body } = response;
  // Not by the signal of the pipe, which ends before what went through it has been read.
  const abortable = new TransformStream({
    start: (controller) =>
      signal.addEventListener("abort", () => controller.error(signal.reason), { once: true }),
  });
  const received = new Response(body?.pipeThrough(abortable) ?? null, {
    status,
    statusText: STATUS_CODES[status] ?? "",
    headers,
  });
  return Object.defineProperties(received, { url: { value: url }, redirected: { value: redirected } });
}

/** The head of an answer and half of its body, and then the connection is gone. */
async function cutShort(answer: Response): Promise<Response> {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const pieces = [bytes.subarray(0, bytes.length / 2)];
  const body = new ReadableStream({
    pull(controller) {
      const piece = pieces.shift();
      if (piece) controller.enqueue(piece);
      else controller.error(failed("other side closed", "UND_ERR_SOCKET", "terminated"));
    },
  });
  return new Response(body, answer);
}

/** Like the network, leaves at once; what was begun goes on without us. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
  return Promise.race([aborted, work]);
}

const failed = (why: string, code?: string, message = "fetch failed") =>
  new TypeError(message, { cause: Object.assign(new Error(why), code && { code }) });
