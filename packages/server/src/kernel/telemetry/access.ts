import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import type { Caller } from "../accounts/caller.ts";

/** What the log and the metrics say of a request. The kernel fills it in while it serves the request. */
export interface Access {
  /** The id of its operation; null for what is no operation of the API. */
  operation: string | null;
  requestId: string | null;
  /** Whose token it had. */
  caller: Caller | null;
  /** The code of the error that it got. */
  code: string | null;
  /** Whether it could wait for a change: then its duration says nothing about the server. */
  hasWaited: boolean;
}

/** A response of a request that is followed. */
export interface Followed extends ServerResponse {
  access?: Access;
}

/** Counts requests. `status` is null if the client went away before it had the whole response. */
export interface RequestMetrics {
  countRequest(access: Access, end: { status: number | null; seconds: number }): void;
}

/** Follows a request to its end. */
export type Follow = (incoming: IncomingMessage, outgoing: Followed) => void;

/**
 * Logs each request at the level `debug`, and counts it if there are metrics. Null if nobody wants to know: then requests are not followed. No
 * address of a request is logged, because paths and queries name what is private, and quote what people look for.
 */
export function openAccess({ log, metrics }: { log: Logger; metrics: RequestMetrics | null }): Follow | null {
  const isLogged = log.isLevelEnabled("debug");
  if (!isLogged && metrics === null) return null;
  return ({ method = "" }, outgoing) => {
    const startedAt = performance.now();
    const access: Access = { operation: null, requestId: null, caller: null, code: null, hasWaited: false };
    outgoing.access = access;
    outgoing.once("close", () => {
      const ms = performance.now() - startedAt;
      // Whose client went away got no answer, or a part of one.
      const status = outgoing.writableFinished ? outgoing.statusCode : null;
      metrics?.countRequest(access, { status, seconds: ms / 1_000 });
      if (isLogged) log.debug(describe(access, { method, status, ms }), "request");
    });
  };
}

const describe = (
  { operation, requestId, caller, code }: Access,
  { method, status, ms }: { method: string; status: number | null; ms: number },
) => ({
  method,
  operation,
  status,
  ...(code !== null && { code }),
  ms: Math.round(10 * ms) / 10,
  ...(caller && { account: caller.handle, token: caller.tokenName }),
  requestId,
});
