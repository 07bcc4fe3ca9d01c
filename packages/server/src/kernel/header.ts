import type { IncomingMessage } from "node:http";
import type { Context } from "hono";

/** The request as Node has it; absent where the app is called in its own process. */
export const incomingOf = (c: Context) => (c.env as { incoming?: IncomingMessage } | undefined)?.incoming;

/** A header field by its lower-case name: from Node's own parse where there is one, since a `Headers` costs a read 3 %. */
export function headerOf(c: Context, name: string): string | undefined {
  const incoming = incomingOf(c);
  if (incoming === undefined) return c.req.header(name);
  const value = incoming.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

const isOwnId = /^[A-Za-z0-9._-]{8,128}$/;

/** The id of a request: the caller's own where it has the right form, else a new one. */
export const chooseRequestId = (sent: string | string[] | undefined): string =>
  typeof sent === "string" && isOwnId.test(sent) ? sent : crypto.randomUUID();

export const requestIdOf = (c: Context): string => chooseRequestId(headerOf(c, "x-request-id"));
