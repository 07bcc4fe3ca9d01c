import { requestIdOf } from "./errors.ts";
import type { AbortSignal, Headers as WebHeaders, Response } from "./web.ts";

/** A request: only what every implementation of `fetch` accepts. */
export interface Outgoing {
  method: string;
  headers: Record<string, string>;
  /** JSON as text, else the caller's value. */
  // oxlint-disable-next-line typescript/no-explicit-any
  body?: any;
  /** Runtimes require it for a body that is a stream. */
  duplex?: "half";
  signal?: AbortSignal;
}

/** The parts of a response that the client reads. Who asks for a file gets the whole response. */
export interface Incoming {
  ok: boolean;
  status: number;
  headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** Sends one request: the `fetch` of a runtime, that of `undici`, or one that goes through a proxy. */
export type Fetch<Answer = Incoming> = (url: string, request: Outgoing) => Promise<Answer>;

/** A request that is about to be sent. */
export interface Attempt {
  /** The id of the operation: `prompts.get`. */
  operation: string;
  method: string;
  /** With its query, which can hold what people searched for. */
  url: string;
  /** From 1. A higher number is a retry. */
  attempt: number;
  /** Headers to add, such as `traceparent`. Empty at first: it never shows the token. */
  headers: WebHeaders;
}

/** The outcome of an attempt. */
export interface Outcome {
  /** Undefined if no response came. */
  status?: number;
  requestId?: string | undefined;
  /** Until the headers of the response arrived. */
  durationMs: number;
  /** What `fetch` rejected with. It is an AbortError after a timeout, or if the caller aborted. */
  error?: unknown;
}

/**
 * Called before each attempt. The function that it returns is called with the outcome. Errors that they throw are
 * ignored.
 */
export type OnAttempt = (attempt: Attempt) => ((outcome: Outcome) => void) | void;

/** Wraps `fetch` for one call, and reports each attempt to `onAttempt`. */
export function observed(send: Fetch<Response>, onAttempt: OnAttempt, operation: string): Fetch<Response> {
  let attempt = 0;
  return async (url, request) => {
    const { method } = request;
    const headers = new Headers();
    const startedMs = performance.now();
    attempt += 1;
    const onOutcome = notify(onAttempt, { operation, method, url, attempt, headers });
    const end = (outcome: Omit<Outcome, "durationMs">) =>
      notify(onOutcome, { ...outcome, durationMs: performance.now() - startedMs });
    try {
      const response = await send(url, {
        ...request,
        headers: { ...request.headers, ...Object.fromEntries(headers) },
      });
      end({ status: response.status, requestId: requestIdOf(response) });
      return response;
    } catch (error) {
      end({ error });
      throw error;
    }
  };
}

/** Calls a listener. Its errors are ignored, also those of an async listener: it must not break the call. */
export function notify<About, Result>(
  listener: ((about: About) => Result) | void | undefined,
  about: About,
): Result | undefined {
  try {
    const result = listener?.(about);
    (result as Partial<Promise<unknown>> | undefined)?.catch?.(() => undefined);
    return result;
  } catch {
    return undefined;
  }
}
