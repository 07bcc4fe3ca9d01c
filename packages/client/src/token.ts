import { ConnectionError } from "./errors.ts";
import type { Limits } from "./limits.ts";
import { within } from "./within.ts";
import type { AbortSignal } from "./web.ts";

/** Gives a token. Null and "" mean no token. */
export type TokenSource = () => string | null | undefined | PromiseLike<string | null | undefined>;

/**
 * The token as a header carries it.
 * @throws {TypeError} without the text, which may be a secret.
 */
export function readToken(text: string | null | undefined): string | undefined {
  const token = text?.trim();
  if (!token) return undefined;
  if (/[^\x21-\x7e]/.test(token))
    throw new TypeError("The token holds characters that no token has. Copy it again.");
  return token;
}

/**
 * The token for one call, of all its attempts. A source is asked each time, since only it knows how long a token
 * is good for, and is waited for no longer than the call itself: what it rejects with comes through as it is.
 */
export async function tokenFor(
  source: string | undefined | TokenSource,
  limits: Limits,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (typeof source !== "function") return source;
  const text = Promise.resolve(source()).then((given) => readToken(given) ?? null);
  const token = await within(limits.leftMs(), text, signal);
  if (token === undefined)
    throw new ConnectionError(`No token came within ${limits.deadlineMs / 1000} seconds (deadlineMs).`);
  return token ?? undefined;
}
