import { ConnectionError } from "./errors.ts";
import type { Limits } from "./limits.ts";
import { within } from "./within.ts";
import type { AbortSignal } from "./web.ts";

/** Returns a token. Null and "" mean no token. */
export type TokenSource = () => string | null | undefined | PromiseLike<string | null | undefined>;

/**
 * The token for a header.
 * @throws {TypeError} if it contains invalid characters. The error does not repeat the text, which may be a secret.
 */
export function readToken(text: string | null | undefined): string | undefined {
  const token = text?.trim();
  if (!token) return undefined;
  if (/[^\x21-\x7e]/.test(token))
    throw new TypeError("The token contains invalid characters. Copy it again.");
  return token;
}

/**
 * The token for all attempts of one call. A source is called for each call, since only it knows how long a token is valid.
 * Its time counts towards the deadline of the call. Its rejection is passed on unchanged.
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
    throw new ConnectionError(
      `The token function did not return within ${limits.deadlineMs / 1000} seconds (deadlineMs).`,
    );
  return token ?? undefined;
}
