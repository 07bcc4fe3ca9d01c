import type { Operation } from "@promptreg/core";
import type { Caller } from "./caller.ts";
import type { Meter } from "./meter.ts";
import type { AnyReply } from "./respond.ts";
import type { ServerContext } from "./server-context.ts";

/** What serving one request has at hand. */
export interface Serving {
  requestId: string;
  server: ServerContext;
  /** Who is at the other end. */
  address: string;
  /** Whose requests and answers count together. */
  network: string;
  /** Null where there are no limits. */
  meter: Meter | null;
}

/** What came of a request. */
export interface Outcome {
  reply: AnyReply;
  caller: Caller | null;
  isReplay?: boolean;
}

/** Counts a request under its operation's own limit, if there is one. */
export const chargeOwn = (
  { rate }: Operation,
  { meter, row }: { meter: Meter | null; row: unknown },
): void => {
  if (rate) meter?.add(rate.policy, (row as { id?: string } | null)?.id);
};

/** Asked once its caller was found to be allowed: nobody uses up what another one has. */
export const isCharged = ({ rate }: Operation, query: unknown): boolean =>
  !rate?.byHandler && (!rate?.when || (query as Record<string, unknown>)[rate.when] !== undefined);
