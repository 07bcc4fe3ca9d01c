import { requestIdOf } from "./errors.ts";
import type { AbortSignal, Headers as WebHeaders, Response } from "./web.ts";

/** What is sent to an address: no more than every `fetch` takes, whoever it is from. */
export interface Outgoing {
  method: string;
  headers: Record<string, string>;
  /** JSON as text, else what the caller gave. */
  // oxlint-disable-next-line typescript/no-explicit-any
  body?: any;
  /** As runtimes want it said of a body that is a stream. */
  duplex?: "half";
  signal?: AbortSignal;
}

/** What is read of an answer; whoever asks for a file gets the whole of it. */
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
  /** From 1; what is more than 1 is a repetition. */
  attempt: number;
  /** What is set here is sent along, such as `traceparent`. It is empty, and never shows the token. */
  headers: WebHeaders;
}

/** How an attempt went. */
export interface Outcome {
  /** Undefined when no answer came. */
  status?: number;
  requestId?: string | undefined;
  /** Until the head of the answer was there. */
  durationMs: number;
  /** What `fetch` rejected with: an AbortError when the time was up or the caller gave up. */
  error?: unknown;
}

/**
 * Called before each attempt. The function that it returns is called with the outcome. Errors that they throw are
 * ignored.
 */
export type OnAttempt = (attempt: Attempt) => ((outcome: Outcome) => void) | void;

/** A `fetch` for one call that tells of what it sends. */
export function watched(send: Fetch<Response>, onAttempt: OnAttempt, operation: string): Fetch<Response> {
  let attempt = 0;
  return async (url, request) => {
    const { method } = request;
    const headers = new Headers();
    const startedMs = performance.now();
    attempt += 1;
    const onOutcome = tell(onAttempt, { operation, method, url, attempt, headers });
    const end = (outcome: Omit<Outcome, "durationMs">) =>
      tell(onOutcome, { ...outcome, durationMs: performance.now() - startedMs });
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

/** Whoever watches a call must not break it, now or, where it is async, later. */
export function tell<About, Result>(
  watcher: ((about: About) => Result) | void | undefined,
  about: About,
): Result | undefined {
  try {
    const result = watcher?.(about);
    (result as Partial<Promise<unknown>> | undefined)?.catch?.(() => undefined);
    return result;
  } catch {
    return undefined;
  }
}
