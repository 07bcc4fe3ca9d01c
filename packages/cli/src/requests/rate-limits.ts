import { countOf } from "../terminal/text.ts";
import { setTimeout as delay } from "node:timers/promises";
import { apiError } from "@promptreg/core/errors";
import { Interrupted } from "../errors.ts";

/** Whoever is away for longer is not waited for. */
const longestWaitSeconds = 30;

/** How long a server of media may be silent. */
export const answerMs = 30_000;

/** For the largest video on a slow line. */
export const uploadMs = 600_000;

/** Sends requests, and waits when the server answers 429 (too many requests). */
export interface RateLimitFetch {
  fetch: (url: string, request: RequestInit) => Promise<Response>;
  /** For the end of a progress line: empty where nothing is waited for. */
  waiting: () => string;
}

/**
 * After a 429 all requests wait for as long as the server says, and the refused ones are sent again. Each attempt has its
 * own timeout, so that the client sets none until an answer begins. An aborted signal ends the wait.
 * @param timeoutMs for an answer to begin. That of an upload begins when all of it is sent.
 * @param note hears of each wait that begins, once.
 */
export function createRateLimitFetch(
  send: typeof fetch,
  interrupt: () => AbortSignal | undefined,
  timeoutMs: number,
  note: (text: string) => void = () => {},
): RateLimitFetch {
  let until = 0;
  const leftMs = () => until - performance.now();

  async function pause(signal: AbortSignal | undefined): Promise<void> {
    // Asked once for each turn: it may have run out a moment later.
    for (let left = leftMs(); left > 0; left = leftMs()) {
      const stop = AbortSignal.any([interrupt(), signal].filter((one) => one !== undefined));
      // A timer holds no more than 24 days.
      await delay(Math.min(left, 2 ** 31 - 1), undefined, { signal: stop }).catch(() => {
        throw signal?.aborted ? signal.reason : new Interrupted("Stopped while waiting for the rate limit.");
      });
    }
  }

  return {
    waiting() {
      const seconds = Math.ceil(leftMs() / 1_000);
      return seconds > 0 ? `; the server asks to wait ${countOf(seconds, "second")}` : "";
    },
    async fetch(url, request) {
      const signal = request.signal ?? undefined;
      for (;;) {
        await pause(signal);
        const answerMs = request.body instanceof FormData ? Math.max(timeoutMs, uploadMs) : timeoutMs;
        const response = await inTime(answerMs, url, signal, (signal) => send(url, { ...request, signal }));
        const seconds = Number(/^\d+$/.exec(response.headers.get("retry-after") ?? "")?.[0]);
        // The client, which knows no end here, would wait in silence.
        if (response.status >= 500 && seconds > longestWaitSeconds)
          throw apiError("unavailable", {
            message: `The server is unavailable. It asks to wait ${countOf(seconds, "second")}.`,
          });
        if (response.status !== 429 || Number.isNaN(seconds)) return response;
        // What is not read keeps its connection.
        await response.body?.cancel();
        const isWaiting = leftMs() > 0;
        until = Math.max(until, performance.now() + seconds * 1_000);
        if (!isWaiting) note(`The server asks to wait ${countOf(seconds, "second")}.`);
      }
    },
  };
}

/** A fetch that says when the server asks to wait, which the client does then. */
export const notingWaits =
  (send: typeof fetch, note: (text: string) => void): typeof fetch =>
  async (url, request) => {
    const response = await send(url, request);
    const seconds = Number(response.headers.get("retry-after"));
    if (response.status === 429 && seconds > 1)
      note(`The server asks to wait ${countOf(seconds, "second")}.`);
    return response;
  };

/** Ends one attempt by the signal of them all, or when its own time for an answer is over. */
async function inTime(
  timeoutMs: number,
  url: string,
  signal: AbortSignal | undefined,
  attempt: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), timeoutMs);
  try {
    return await attempt(AbortSignal.any([end.signal, ...(signal ? [signal] : [])]));
  } catch (error) {
    if (!end.signal.aborted) throw error;
    // The client's own error, in the words that it has for this.
    const { ConnectionError } = await import("@promptreg/client");
    throw new ConnectionError(`${new URL(url).origin} did not answer within ${timeoutMs / 1_000} seconds.`, {
      isSent: true,
    });
  } finally {
    clearTimeout(timer);
  }
}
