import { type Fetch, type OnAttempt, type Outgoing, observed } from "./attempts.ts";
import type { Answered } from "./calls.ts";
import { isOurs } from "./errors.ts";
import { type LimitOptions, limit } from "./limits.ts";
import { send } from "./send.ts";
import { type TokenSource, tokenFor } from "./token.ts";
import type { Response } from "./web.ts";

/** Where and how calls are sent, as `createClient` read it from its options. */
export interface Connection extends LimitOptions {
  /** Without a trailing slash. */
  baseUrl: string;
  token: string | TokenSource | undefined;
  fetch: Fetch<Response>;
  retries: number;
  onAttempt?: OnAttempt | undefined;
  validate?: Validate | undefined;
}

/** Checks the JSON of a response. An error that it throws rejects the call. */
export type Validate = (operation: string, response: Response, data: unknown) => void;

/** A request of an operation, before it has a token. */
export interface Asked extends Outgoing {
  /** With its query. */
  path: string;
  /** Whether the server recognises a retry. */
  isRepeatable: boolean;
  /** Whether the caller gets the response unread. */
  isRaw?: boolean;
}

/**
 * Sends a request, reads the response, and turns every failure into an error of ours. Data is undefined for 204, and for
 * 304 after If-None-Match. It is the response itself, unread, if `isRaw`.
 */
export async function exchange(
  connection: Connection,
  id: string,
  { path, isRepeatable, isRaw = false, ...request }: Asked,
  options: LimitOptions = {},
): Promise<Answered<unknown>> {
  const { signal } = request;
  const limits = limit(options, connection);
  signal?.throwIfAborted();
  const token = await tokenFor(connection.token, limits, signal);
  if (token !== undefined) request.headers["authorization"] = `Bearer ${token}`;
  const { onAttempt } = connection;
  const fetch = onAttempt ? observed(connection.fetch, onAttempt, id) : connection.fetch;
  const retries = isRepeatable ? connection.retries : 0;
  const url = `${connection.baseUrl}/api/v1${path}`;
  const answered = await send(url, request, { fetch, limits, isRaw, retries }).catch((error: unknown) => {
    if (isOurs(error)) error.operation = id;
    throw error;
  });
  if (!isRaw) connection.validate?.(id, answered.response, answered.data);
  return answered;
}
