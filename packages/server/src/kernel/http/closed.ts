import type { Context } from "hono";
import type { Access, Followed } from "../telemetry/access.ts";

/** The response of a request as Node has it. */
export const outgoingOf = (c: Context) => (c.env as { outgoing?: Followed } | undefined)?.outgoing;

/** What is noted of a request for logs and metrics; undefined if nobody wants to know. */
export const accessOf = (c: Context): Access | undefined => outgoingOf(c)?.access;

/** A signal that aborts when the client is gone, which Node says and Hono does not, since nobody has asked for its request's. */
export function whenClosed(c: Context): AbortSignal {
  const closing = new AbortController();
  outgoingOf(c)?.once("close", () => closing.abort());
  return closing.signal;
}
