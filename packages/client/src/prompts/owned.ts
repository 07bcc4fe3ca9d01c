import type { AbortSignal } from "../web.ts";
import type { Answered } from "../calls.ts";
import type { Connection, exchange } from "../exchange.ts";
import type { LimitOptions } from "../limits.ts";
import type { PromptAddress } from "@promptreg/core/refs";

/** The prompts of an owner, at what a label points to. */
export type Owned = Pick<PromptAddress, "owner"> & { label: string };

/** How requests are sent. It is passed in, not imported: an import would move the client out of the bundle's first chunk. */
export interface Sender {
  connection: Connection;
  exchange: typeof exchange;
}

/** How to ask for them. */
export interface OwnedRequest extends LimitOptions {
  view: "version" | "changes" | "summary";
  cursor?: string | null | undefined;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** Requests a page of them. What it consists of needs no encoding but the cursor. */
export function requestOwned(
  { connection, exchange }: Sender,
  { owner, label }: Owned,
  { view, cursor, headers = {}, signal, ...limits }: OwnedRequest,
): Promise<Answered<unknown>> {
  const which = view === "summary" || label === "latest" ? "" : `&label=${label}`;
  const page = view === "changes" ? "" : "&limit=100";
  const after = cursor ? `&cursor=${encodeURIComponent(cursor)}` : "";
  return exchange(
    connection,
    "prompts.list",
    {
      method: "GET",
      path: `/prompts?owner=${owner}&view=${view}${which}${page}${after}`,
      isRepeatable: true,
      headers,
      ...(signal && { signal }),
    },
    limits,
  );
}

/**
 * The owner as the lists take it: `me` for the account of the token itself, which is shown all of its own. Others are shown what is
 * public.
 */
export async function ownerFor({ connection, exchange }: Sender, owner: string): Promise<string> {
  if (connection.token === undefined) return owner;
  const asked = { method: "GET", path: "/me", isRepeatable: true, headers: {} };
  const me = await exchange(connection, "users.me.get", asked).catch(() => undefined);
  return (me?.data as { handle?: unknown } | undefined)?.handle === owner ? "me" : owner;
}
