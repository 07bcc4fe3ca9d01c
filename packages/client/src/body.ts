import { broken, timedOut } from "./errors.ts";
import type { Limits } from "./limits.ts";
import { within } from "./within.ts";

/** What the parts of a body are read under. */
export interface Reading {
  url: string;
  limits: Limits;
  signal: AbortSignal | undefined;
}

/** Far more than any JSON of the registry: what nobody expects must not fill the memory. */
const mostCharacters = 64 * 1024 * 1024;

/** The whole body. Undefined if it is far too long. */
export async function readText(response: Response, reading: Reading): Promise<string | undefined> {
  // Some implementations of `fetch` have no streams.
  if (!response.body?.getReader) return inTime(response.text(), reading);
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await inTime(reader.read(), reading);
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length > mostCharacters) return undefined;
  }
}

/** Waits for the next part. */
export async function inTime<T>(part: Promise<T>, { url, limits, signal }: Reading): Promise<T> {
  const ms = Math.min(limits.bodyTimeoutMs, limits.bodyLeftMs());
  const read = part.catch((error: unknown) => {
    signal?.throwIfAborted();
    throw broken(url, error);
  });
  const result = await within(ms, read, signal);
  // Parts that are always there already would never let the timer come.
  if (result === undefined || limits.bodyLeftMs() <= 0) throw timedOut(url, limits, true);
  return result;
}
