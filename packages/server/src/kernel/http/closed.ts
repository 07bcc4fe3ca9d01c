import type { ServerResponse } from "node:http";
import type { Context } from "hono";

/** The response of a request as Node has it. */
export const outgoingOf = (c: Context) => (c.env as { outgoing?: ServerResponse } | undefined)?.outgoing;

/** A signal that aborts when the client is gone, which Node says and Hono does not, since nobody has asked for its request's. */
export function whenClosed(c: Context): AbortSignal {
  const closing = new AbortController();
  outgoingOf(c)?.once("close", () => closing.abort());
  return closing.signal;
}
