import { apiError } from "@promptreg/core/errors";
import type { Operation } from "@promptreg/core";
import type { Context as HonoContext } from "hono";
import type { Sql } from "../database/sql.ts";
import { admit, type Caller, callerOf } from "./caller.ts";
import { audit, emit } from "./emit.ts";
import { hashRequest, readKey, recall, remember } from "./idempotency.ts";
import { negotiate, readBody, readQuery } from "./input.ts";
import type { Mounted } from "./mounted.ts";
import { type AnyReply, respond } from "./respond.ts";
import type { ServerContext } from "./server-context.ts";
import { authorize, type Loaded } from "./target.ts";
import { readCredential } from "./token.ts";
import { parse } from "./validate.ts";

interface Serving {
  requestId: string;
  server: ServerContext;
}

/** Serves one request: reads it, admits its caller, lets the handler act on the target, and puts the reply on the wire. */
export async function serve(mounted: Mounted, c: HonoContext, { requestId, server }: Serving): Promise<Response> {
  const { operation } = mounted;
  const credential = readCredential(c.req.header("authorization"));
  const input: Input = {
    credential,
    params: readParams(operation, c),
    query: operation.query ? parse(operation.query, readQuery(c.req.url)) : refuseQuery(c.req.url),
    accept: negotiate(operation, c.req.header("accept")),
  };
  const isRead = operation.route.startsWith("GET ");
  const { reply, caller, isReplay } = isRead
    ? await read(mounted, input, { requestId, server })
    : await write(mounted, input, c, { requestId, server });
  const response = respond(reply, {
    id: requestId,
    isRead,
    isAnonymous: caller === null,
    ifNoneMatch: isRead ? c.req.header("if-none-match") : undefined,
  });
  if (isReplay) response.headers.set("idempotency-replayed", "true");
  return response;
}

interface Input {
  credential: Buffer | null;
  params: unknown;
  query: unknown;
  accept: string;
}
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
    details: [{ path: `/${name}`, code: "unrecognized_keys", message: "unknown query parameter" }],
  });
}

/** A read is one statement where it can be: it finds the caller and the target, and often the answer, together. */
async function read(mounted: Mounted, input: Input, { requestId, server }: Serving): Promise<Outcome> {
  const { operation, handler, target } = mounted;
  const { sql } = server;
  const loaded = await load(mounted, sql, { ...input, body: undefined }, false);
  const caller = admit(operation.access, { ...input, caller: loaded.caller, isWrite: false });
  const row = target ? authorize(operation.access, target, loaded.target, caller) : null;
  const context = { ...input, body: undefined, caller, target: row, prepared: undefined, sql, server };
  const reply = await handler.handle({ ...context, ...writers(sql, { caller, requestId, server }) } as never);
  return { reply: reply as AnyReply, caller };
}

/** A write is one transaction: change, event, audit row and stored answer commit together or not at all. */
async function write(mounted: Mounted, input: Input, c: HonoContext, { requestId, server }: Serving): Promise<Outcome> {
  const { operation, handler, target } = mounted;
  const { caller: found } = await loadCaller(server.sql, input.credential);
  const caller = admit(operation.access, { ...input, caller: found, isWrite: true });
  const { body, raw, discard } = await readBody(c.req.raw, operation.body);
  try {
    const request = { ...input, body };
    const prepared = await handler.prepare?.({ ...request, server } as never);
    const key = caller && operation.route.startsWith("POST ") ? c.req.header("idempotency-key") : undefined;
    const repeatable =
      caller !== null && key !== undefined
        ? { userId: caller.id, operation: `POST ${c.req.path}`, key: readKey(key), requestHash: hashRequest(raw) }
        : null;
    return (await server.sql.begin(async (sql): Promise<Outcome> => {
      const earlier = repeatable && (await recall(sql, repeatable));
      if (earlier) return { reply: earlier, caller, isReplay: true };
      const loaded = target && (await load(mounted, sql, { ...request, credential: null }, true));
      const row = target ? authorize(operation.access, target, loaded?.target ?? null, caller) : null;
      requireMatch(c.req.header("if-match"), row);
      const context = { ...request, caller, target: row, prepared, sql, server };
      const reply = (await handler.handle({
        ...context,
        ...writers(sql, { caller, requestId, server }),
      } as never)) as AnyReply;
      if (repeatable) await remember(sql, repeatable, reply);
      return { reply, caller };
    })) as Outcome;
  } finally {
    await discard();
  }
}

const writers = (sql: Sql, { caller, requestId, server }: Serving & { caller: Caller | null }) => ({
  emit: (name: never, about: never, data: never) =>
    emit(sql, { publicUrl: server.publicUrl, caller }, name, about, data),
  audit: (action: string, target: string, data: Record<string, unknown> = {}) =>
    audit(sql, { caller, requestId }, { action, target, data }),
});

async function loadCaller(sql: Sql, credential: Buffer | null): Promise<Loaded<null>> {
  if (credential === null) return { caller: null, target: null };
  const [row] = await sql<{ caller: Caller | null }[]>`select ${callerOf(sql, credential)} as caller`;
  return { caller: row?.caller ?? null, target: null };
}

function load(
  { operation, handler, target }: Mounted,
  sql: Sql,
  { credential, body, ...input }: Input & { body: unknown },
  lock: boolean,
): Promise<Loaded<any>> {
  if (target === undefined) return loadCaller(sql, credential);
  const { on = "", from } = operation.access;
  const field = from && ((from === "body" ? body : input.query) as Record<string, string>)[on];
  const address = field === undefined ? input.params : target.parse?.(field);
  const request = { ...input, address: address as never, caller: callerOf(sql, credential), lock };
  return handler.load ? handler.load(sql, request as never) : target.load(sql, request);
}

/** If-Match compares the revision alone, weak tags included: a star in between must not fail an edit. */
function requireMatch(header: string | undefined, row: { revision?: string } | null): void {
  if (header === undefined || header === "*" || row?.revision === undefined) return;
  const holds = header.split(",").some((tag) => /^\s*(?:W\/)?"([^".]*)/.exec(tag)?.[1] === row.revision);
  if (!holds) throw apiError("precondition_failed");
}
