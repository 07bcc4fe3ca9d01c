import type { Operation } from "@promptreg/core";
import type { Caller } from "../accounts/caller.ts";
import type { Meter } from "../rate-limits/meter.ts";
import type { AnyReply } from "./respond.ts";
import type { ServerContext } from "../server-context.ts";
import type { Access } from "../telemetry/access.ts";

/** What is known about a request besides its content. */
export interface Serving {
  requestId: string;
  server: ServerContext;
  /** The address of the client. */
  address: string;
  /** Its address as limits count it. */
  network: string;
  /** Null: no limits. */
  meter: Meter | null;
  /** What is noted of it for logs and metrics, if anybody wants to know. */
  access: Access | undefined;
}

/** The result of a request. */
export interface Outcome {
  reply: AnyReply;
  caller: Caller | null;
  isReplay?: boolean;
  /** How long it may have waited for a change; absent if it could not. */
  waitSeconds?: number;
}

/** Counts a request against its operation's own limit, if it has one. */
export const chargeOwn = (
  { rate }: Operation,
  { meter, row, caller }: { meter: Meter | null; row: unknown; caller: Caller | null },
): void => {
  if (rate) meter?.add(rate.policy, { target: (row as { id?: string } | null)?.id, account: caller?.id });
};

/** Whether the kernel counts it. Call it after the permission check, so that nobody can use up another's limit. */
export const isCharged = ({ rate }: Operation, query: unknown): boolean =>
  !rate?.byHandler && (!rate?.when || (query as Record<string, unknown>)[rate.when] !== undefined);
