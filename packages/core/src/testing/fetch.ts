import type { OperationId } from "../contract.ts";
import { type Faults, refusalOf } from "./faults.ts";
import { type CalledOperation, operationOf } from "./operations.ts";
import type { AbortSignal, Request, Response, WebFetch } from "./web.ts";

/** A request that was sent, with any result. */
export interface SentRequest {
  method: string;
  /** With the query: `/api/v1/prompts/ada/greeting?label=production`. */
  path: string;
  /** Null if it calls no operation, such as a page. */
  operation: OperationId | null;
  /** The status of the response; null before and without one. */
  status: number | null;
}

const redirects = [301, 302, 303, 307, 308];
const maxRedirects = 20;
/** The longest time of a timer. */
const longestMs = 2_147_483_647;

/**
 * A `fetch` that calls `answer` without a network. It fails as the network does: with a TypeError, or with the signal's
 * reason. Once `closed` is aborted, waiting requests end, and new ones are refused.
 */
export function fetchFrom(
  answer: (request: Request, called: CalledOperation | null) => Response | Promise<Response>,
  {
    origin,
    faults,
    requests,
    closed,
  }: { origin: string; faults: Faults; requests: SentRequest[]; closed: AbortSignal },
): WebFetch {
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
      if (hops === maxRedirects) throw failed("redirect count exceeded");
      // Only for reads does the server redirect with a status that may change the method.
      request = new Request(new URL(location, request.url), again);
    }
  };

  async function exchange(request: Request): Promise<Response> {
    const { method, signal } = request;
    const url = new URL(request.url);
    if (url.origin !== origin) {
      throw new Error(`This fetch only reaches ${origin}, not ${url.origin}. Use the registry's baseUrl.`);
    }
    signal.throwIfAborted();
    if (closed.aborted) throw failed("connect ECONNREFUSED", "ECONNREFUSED");
    const called = operationOf(request);
    const operation = called?.id ?? null;
    const sent: SentRequest = { method, path: url.pathname + url.search, operation, status: null };
    requests.push(sent);
    const fault = faults.take(request, operation) ?? { delayMs: 0 };
    const cut = "cut" in fault ? fault.cut : undefined;
    const given =
      cut === "before" ? undefined : (refusalOf(fault, request) ?? (await answer(request, called)));
    if (fault.delayMs) await delay(fault.delayMs, AbortSignal.any([signal, closed]));
    if (
      given === undefined ||
      cut === "after" ||
      (cut === "during" && given.body === null) ||
      closed.aborted
    ) {
      throw failed("other side closed", "UND_ERR_SOCKET");
    }
    sent.status = given.status;
    return cut === "during" ? await cutShort(given) : given;
  }
}

/** Waits for `ms`, or until the signal aborts. */
const delay = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = ms > longestMs ? undefined : setTimeout(resolve, ms);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });

/** A response as from the network: with its URL, and a body that can be aborted. */
function asReceived(response: Response, { url, signal }: Request, redirected: boolean): Response {
  const { status, headers, body } = response;
  // Not the signal of the pipe: the pipe ends before its output has been read.
  const abortable = new TransformStream({
    start: (controller) =>
      signal.addEventListener("abort", () => controller.error(signal.reason), { once: true }),
  });
  const received = new Response(body?.pipeThrough(abortable) ?? null, { status, headers });
  return Object.defineProperties(received, { url: { value: url }, redirected: { value: redirected } });
}

/** The headers of a response and half of its body. Then the connection breaks. */
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

/** Rejects at once on abort, like the network. The work goes on. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
  return Promise.race([aborted, work]);
}

const failed = (why: string, code?: string, message = "fetch failed") =>
  new TypeError(message, { cause: Object.assign(new Error(why), code && { code }) });
