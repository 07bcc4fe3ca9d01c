import type { IncomingMessage } from "node:http";
import { chooseRequestId } from "@promptreg/core/wire";
import type { Context } from "hono";

/** Node's request; undefined if the app is called in its own process. */
export const incomingOf = (c: Context) => (c.env as { incoming?: IncomingMessage } | undefined)?.incoming;

/** A header by its lower-case name. From Node if possible: making a `Headers` object costs a read 3 %. */
export function headerOf(c: Context, name: string): string | undefined {
  const incoming = incomingOf(c);
  if (incoming === undefined) return c.req.header(name);
  const value = incoming.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

export const requestIdOf = (c: Context): string => chooseRequestId(headerOf(c, "x-request-id"));
