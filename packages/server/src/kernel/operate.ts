import { apiError } from "@promptreg/core/errors";
import { mediaList, type Operation } from "@promptreg/core";
import {
  isHeld,
  matches,
  parse,
  pointer,
  readIdempotencyKey,
  readQuery,
  readTags,
} from "@promptreg/core/wire";
import type { Context as HonoContext } from "hono";
import { accepts } from "hono/accepts";
import type { Sql } from "../database/sql.ts";
import { admit, type Caller, lockCaller } from "./caller.ts";
import { audit, emit } from "./emit.ts";
import { headerOf } from "./header.ts";
import { hashRequest, recall, remember, type Repeatable } from "./idempotency.ts";
import { hasNoContent, readBody, refuseContent, type Room } from "./input.ts";
import { addressNow, type Input, load, loadCaller, searchOf } from "./load.ts";
import type { Meter } from "./meter.ts";
import type { Mounted } from "./mounted.ts";
import { openPage } from "./page.ts";
import { type AnyReply, respond } from "./respond.ts";
import type { ServerContext } from "./server-context.ts";
import { authorize } from "./target.ts";
import { readCredential } from "./token.ts";
import { withDatabaseTimeout } from "./database-timeout.ts";

interface Serving {
  requestId: string;
  server: ServerContext;
  /** Who is at the other end. */
  address: string;
  /** Whose requests and answers count together. */
  network: string;
  /** Null where there are no limits. */
  meter: Meter | null;
}

/** Serves one request: reads it, admits its caller, lets the handler act on the target, and puts the reply on the wire. */
export async function serve(mounted: Mounted, c: HonoContext, serving: Serving): Promise<Response> {
  const { operation, types } = mounted;
  const { requestId, meter } = serving;
  const isRead = operation.route.startsWith("GET ");
  const credential = readCredential(headerOf(c, "authorization"));
  meter?.begin(policyOf(operation, isRead), credential);
  const input: Input = {
    credential,
    search: searchOf(c.req.url),
    params: readParams(operation, c),
    query: operation.query ? parse(operation.query, readQuery(c.req.url)) : refuseQuery(c.req.url),
    headers: operation.headers && parse(operation.headers, c.req.header()),
    accept: negotiate(types, c),
    held: isRead ? readTags(headerOf(c, "if-none-match")) : [],
  };
  // Nothing is waited for where nothing came.
  if (isRead && !hasNoContent(c)) await withRoom(serving, (room) => refuseContent(c, room));
  const { reply, caller, isReplay } = isRead
    ? await takeTurn(serving, () => read(mounted, input, serving))
    : await withRoom(serving, (room) => write(mounted, input, c, { ...serving, room }));
  const admit = (bytes: number) => serving.server.holdings.admit(serving.network, bytes);
  const response = respond(reply, {
    id: requestId,
    accept: input.accept,
    isRead,
    isAnonymous: caller === null,
    held: input.held,
    meter,
    admit,
  });
  if (isReplay) response.headers.set("idempotency-replayed", "true");
  return response;
}

/** Reporting evals is a class of its own: what floods in from CI is not to keep people from their changes. */
const policyOf = ({ access }: Operation, isRead: boolean) =>
  isRead ? "read" : access.scope === "evals:write" ? "evals" : "write";

/** Counts a request under its operation's own limit, if there is one. */
const chargeOwn = ({ rate }: Operation, { meter, row }: { meter: Meter | null; row: unknown }): void => {
  if (rate) meter?.add(rate.policy, (row as { id?: string } | null)?.id);
};

/** Asked once its caller was found to be allowed: nobody uses up what another one has. */
const isCharged = ({ rate }: Operation, query: unknown): boolean =>
  !rate?.byHandler && (!rate?.when || (query as Record<string, unknown>)[rate.when] !== undefined);

/** The media type of the answer: the one that the caller wants most out of those there are, else the default. */
function negotiate(types: readonly string[], c: HonoContext): string {
  const [first = ""] = types;
  return types.length < 2 ? first : accepts(c, { header: "Accept", supports: [...types], default: first });
}

/** Done for its address when its turn has come. */
const takeTurn = <T>({ server, network }: Serving, work: () => Promise<T>): Promise<T> =>
  server.turns.take(network, () => withDatabaseTimeout(work()));

interface Outcome {
  reply: AnyReply;
  caller: Caller | null;
  isReplay?: boolean;
}

/** A path parameter of a wrong form names nothing that could exist. */
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

/**
 * A read is one statement where it can be: it finds the caller and the target, and often the answer, together.
 * Objects are written out here and in `load`: spreading them cost a tenth of the rate at which pinned versions are read.
 */
async function read(mounted: Mounted, input: Input, { server, meter }: Serving): Promise<Outcome> {
  const { id, operation, handler, target, isList } = mounted;
  const { sql, secrets } = server;
  const { credential, params, query, headers, accept } = input;
  const loaded = await load(mounted, sql, { input, body: undefined, credential, lock: false });
  const caller = admit(operation.access, { credential, caller: loaded.caller, isWrite: false });
  const row = target ? authorize(operation.access, target, loaded.target, caller) : null;
  if (loaded.movedTo)
    return { reply: { status: 301, location: addressNow(operation, input, loaded.movedTo, server) }, caller };
  if (isCharged(operation, query)) chargeOwn(operation, { meter, row });
  const page = isList ? openPage(secrets, { id, params, query: query as object }) : undefined;
  const holds = (etag: string) => isHeld(input.held, etag);
  const context = { params, query, headers, accept, holds, caller, target: row, page, sql, server };
  const reply: AnyReply = await handler.handle(context as never);
  return { reply, caller };
}

/** Counts a body for its sender from when it is read until its request is done. */
async function withRoom<T>({ server, network }: Serving, work: (room: Room) => Promise<T>): Promise<T> {
  const holding = server.holdings.hold(network);
  const take = (bytes: number) => {
    server.holdings.admit(network, bytes);
    holding.add(bytes);
  };
  try {
    return await work({ take });
  } finally {
    holding.release();
  }
}

/** A write is one transaction: change, event, audit row and stored answer commit together or not at all. */
async function write(
  mounted: Mounted,
  input: Input,
  c: HonoContext,
  serving: Serving & { room: Room },
): Promise<Outcome> {
  const { requestId, server, address, meter, room } = serving;
  const { operation, handler, target } = mounted;
  const { caller: found } = await withDatabaseTimeout(loadCaller(server.sql, input.credential));
  const caller = admit(operation.access, { ...input, caller: found, isWrite: true });
  const { body, raw, discard } = await readBody(c, operation.body, room);
  try {
    const request = { ...input, body };
    const prepared = await handler.prepare?.({ ...request, server } as never);
    const repeatable = repeatableOf(operation, c, { caller, raw });
    const change = async (sql: Sql): Promise<Outcome> => {
      const earlier = repeatable && (await recall(sql, repeatable));
      if (earlier && earlier.subject === undefined) return { reply: earlier, caller, isReplay: true };
      const loaded = target && (await load(mounted, sql, { input, body, credential: null, lock: true }));
      const row = target ? authorize(operation.access, target, loaded?.target ?? null, caller) : null;
      if (earlier) {
        const { subject } = earlier;
        const json = await handler.again?.({ caller, target: row, sql, server, subject } as never);
        return { reply: { ...earlier, json }, caller, isReplay: true };
      }
      if (loaded?.movedTo)
        return {
          reply: { status: 308, location: addressNow(operation, input, loaded.movedTo, server) },
          caller,
        };
      const charge = () => chargeOwn(operation, { meter, row });
      if (isCharged(operation, input.query)) charge();
      const ifMatch = operation.route.startsWith("POST ") ? undefined : headerOf(c, "if-match");
      // Without a target an operation is about the account that calls.
      if (ifMatch !== undefined) requireMatch(ifMatch, row ?? (caller && (await lockCaller(sql, caller))));
      const context = { ...request, caller, target: row, prepared, sql, server, charge };
      const tools = writers(sql, { caller, requestId, server, address });
      const reply: AnyReply = await handler.handle({ ...context, ...tools } as never);
      if (repeatable) await remember(sql, repeatable, reply);
      return { reply, caller };
    };
    const outcome = await takeTurn(serving, () => server.sql.begin(change));
    return { ...outcome, reply: toldTo(caller, operation, outcome.reply) };
  } finally {
    await discard();
  }
}

/**
 * A token that may not read is told that a change was made, and not what there is now, by the operations that declare
 * that they can say nothing (204). What is shown once is shown.
 */
function toldTo(caller: Caller | null, { results }: Operation, reply: AnyReply): AnyReply {
  const isBlind = caller !== null && !caller.scopes.includes("read");
  if (!isBlind || results[204] === undefined || reply.json === undefined || reply.once) return reply;
  return { status: 204, ...(reply.location !== undefined && { location: reply.location }) };
}

/** What makes a POST repeatable: its Idempotency-Key, which counts for an account and has a body to be compared. */
function repeatableOf(
  { route, body }: Operation,
  c: HonoContext,
  { caller, raw }: { caller: Caller | null; raw: Uint8Array },
): Repeatable | null {
  const header = route.startsWith("POST ") ? headerOf(c, "idempotency-key") : undefined;
  const isUpload = mediaList(body).some(({ kind }) => kind === "multipart" || kind === "bytes");
  if (header === undefined || caller === null || isUpload) return null;
  return {
    userId: caller.id,
    operation: `POST ${c.req.path}`,
    key: readIdempotencyKey(header),
    requestHash: hashRequest(raw),
  };
}

const writers = (
  sql: Sql,
  {
    caller,
    requestId,
    server,
    address,
  }: Pick<Serving, "requestId" | "server" | "address"> & { caller: Caller | null },
) => ({
  emit: (name: never, about: never, data: never) =>
    emit(sql, { publicUrl: server.publicUrl, caller }, name, about, data),
  audit: (action: string, target: string, data: Record<string, unknown> = {}) =>
    audit(
      sql,
      { caller, requestId, ipHash: server.secrets.addresses.digest(address) },
      { action, target, data },
    ),
});

/** @throws {ApiError} `precondition_failed`; what has no revision is whatever it is. */
function requireMatch(header: string, row: { revision?: string } | null): void {
  if (row?.revision !== undefined && !matches(header, row.revision)) throw apiError("precondition_failed");
}
