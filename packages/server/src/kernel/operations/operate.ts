import { apiError } from "@promptreg/core/errors";
import type { Operation } from "@promptreg/core";
import { parse, pointer, readQuery, readEtags } from "@promptreg/core/wire";
import type { Context as HonoContext } from "hono";
import { accepts } from "hono/accepts";
import { findCaller } from "../accounts/callers.ts";
import { admit } from "../accounts/admit.ts";
import type { Caller } from "../accounts/caller.ts";
import type { Traffic } from "../changes/activity.ts";
import { headerOf, incomingOf } from "../http/header.ts";
import { hasNoContent, refuseContent, type Intake } from "../input/input.ts";
import { type Input, searchOf } from "../targets/load.ts";
import type { Mounted } from "../mounted.ts";
import { mayLag, read } from "./read.ts";
import { discard, respond } from "./respond.ts";
import type { Outcome, Serving } from "./serving.ts";
import { readCredential } from "../accounts/token.ts";
import { withDatabaseTimeout } from "../failures/database-timeout.ts";
import { readOrWait } from "./wait.ts";
import { write } from "./write.ts";

/** Serves one request: reads it, runs it as a read or a write, and makes the response of the reply. */
export async function serve(mounted: Mounted, c: HonoContext, serving: Serving): Promise<Response> {
  const { operation, isRead } = mounted;
  const { requestId, meter } = serving;
  const credential = readCredential(headerOf(c, "authorization"));
  if (operation.rate?.isForMany && credential === null) meter?.count();
  else meter?.begin(policyOf(operation, isRead), credential);
  const input = await readInput(mounted, c, { credential, serving });
  if (isRead && !hasNoContent(c)) await withIntake(serving, (intake) => refuseContent(c, intake));
  const readOnce = (input: Input) =>
    takeTurn(serving, () =>
      mayLag(mounted, input)
        ? serving.server.replicas.read((sql) => read(mounted, input, serving, sql))
        : read(mounted, input, serving),
    );
  const { reply, caller, isReplay, waitSeconds } = isRead
    ? await readOrWait(mounted, c, { input, serving, read: readOnce })
    : await withIntake(serving, (intake) => write(mounted, input, c, { ...serving, intake }));
  if (caller) serving.server.tokenUses.note(caller.tokenId);
  const admit = (bytes: number) => serving.server.holdings.admit(serving.network, bytes);
  const response = responseOf(reply, {
    id: requestId,
    accept: input.accept,
    isRead,
    isAnonymous: caller === null,
    isForMembers: serving.server.isForMembers,
    hasCdn: serving.server.cdn !== null,
    hasForms: mounted.types.length > 1,
    canWait: operation.canWait === true,
    waitSeconds,
    ifNoneMatch: input.ifNoneMatch,
    meter,
    admit,
  });
  if (isReplay) response.headers.set("idempotency-replayed", "true");
  // What the process asks itself, for a feed for instance, is no look at it.
  else if (reply.traffic && response.status !== 304 && c.req.method !== "HEAD" && incomingOf(c))
    count(reply.traffic, c, { caller, serving });
  return response;
}

/** Notes for analytics what was sent. */
function count(
  traffic: readonly Traffic[],
  c: HonoContext,
  { caller, serving: { server, network } }: { caller: Caller | null; serving: Serving },
): void {
  const visitor = {
    caller,
    network,
    userAgent: headerOf(c, "user-agent"),
    referrer: headerOf(c, "referer"),
  };
  for (const one of traffic) server.activity.note(one, visitor);
}

/**
 * Reads what a request says before its body.
 * @throws {ApiError} of the token, if that is wrong too: then nothing else is of interest.
 */
async function readInput(
  { operation, types, isRead }: Mounted,
  c: HonoContext,
  { credential, serving: { server, access } }: { credential: Buffer | null; serving: Serving },
): Promise<Input> {
  try {
    return {
      credential,
      search: searchOf(c.req.url),
      params: readParams(operation, c),
      query: operation.query ? parse(operation.query, readQuery(c.req.url)) : refuseQuery(c.req.url),
      headers: operation.headers && parse(operation.headers, c.req.header()),
      accept: negotiate(types, c),
      ifNoneMatch: isRead ? readEtags(headerOf(c, "if-none-match")) : [],
    };
  } catch (error) {
    const caller = await withDatabaseTimeout(findCaller(server, credential));
    if (access) access.caller = caller;
    admit(operation.access, { credential, caller, isWrite: !isRead });
    throw error;
  }
}

function responseOf(...[reply, request]: Parameters<typeof respond>): Response {
  try {
    return respond(reply, request);
  } catch (error) {
    discard(reply);
    throw error;
  }
}

/** Reports of evals have a limit of their own: many of them from CI must not block people's changes. */
const policyOf = ({ access }: Operation, isRead: boolean) =>
  isRead ? "read" : access.scope === "evals:write" ? "evals" : "write";

/** The media type of the response: the one that Accept prefers, or the default. */
function negotiate(types: readonly string[], c: HonoContext): string {
  const [first = ""] = types;
  return types.length < 2 ? first : accepts(c, { header: "Accept", supports: [...types], default: first });
}

/** Limits concurrent reads per address. */
const takeTurn = ({ server, network }: Serving, work: () => Promise<Outcome>): Promise<Outcome> =>
  server.turns.take(network, () => withDatabaseTimeout(work(), ({ reply }) => discard(reply)));

/** An invalid path parameter answers 404: nothing can have that address. */
function readParams({ params }: Operation, c: HonoContext): unknown {
  if (params === undefined) return {};
  const parsed = params.safeParse(c.req.param());
  if (!parsed.success) throw apiError("not_found");
  return parsed.data;
}

function refuseQuery(url: string): object {
  const [name] = Object.keys(readQuery(url));
  if (name === undefined) return {};
  throw apiError("validation_failed", {
    message: `This operation takes no query parameter "${name}".`,
    details: [{ path: pointer([name]), code: "unrecognized_keys", message: "unknown query parameter" }],
  });
}

/** Counts the memory of a body for its address until the request ends. */
async function withIntake<T>({ server, network }: Serving, work: (intake: Intake) => Promise<T>): Promise<T> {
  const holding = server.holdings.hold(network);
  const take = (bytes: number) => {
    server.holdings.admit(network, bytes);
    holding.add(bytes);
  };
  try {
    return await work({ take, spoolFolder: server.store.spoolFolder });
  } finally {
    holding.release();
  }
}
