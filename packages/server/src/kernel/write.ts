import { mediaList, type Operation } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { matches, readIdempotencyKey } from "@promptreg/core/wire";
import type { Context as HonoContext } from "hono";
import type { Sql } from "../database/sql.ts";
import { admit, type Caller, lockCaller } from "./caller.ts";
import { audit, emit } from "./emit.ts";
import { etagOfContent } from "./etag.ts";
import { headerOf } from "./header.ts";
import { hashRequest, recall, remember, type Repeatable } from "./idempotency.ts";
import { readBody, type Room } from "./input.ts";
import { addressNow, addressOf, type Input, loadCaller } from "./load.ts";
import type { Mounted } from "./mounted.ts";
import { lockAll, type Others } from "./others.ts";
import { withDatabaseTimeout } from "./database-timeout.ts";
import { permit, permitFields } from "./permit.ts";
import { etagAfter } from "./read.ts";
import { type AnyReply, printed } from "./respond.ts";
import { chargeOwn, isCharged, type Outcome, type Serving } from "./serving.ts";
import type { AnyRow } from "./target.ts";

/** A write whose caller was admitted and whose body was read. */
interface Change {
  mounted: Mounted;
  input: Input;
  c: HonoContext;
  serving: Serving;
  caller: Caller | null;
  body: unknown;
  /** What the handler prepared before the transaction. */
  prepared: unknown;
}

/** A write is one transaction: change, event, audit row and stored answer commit together or not at all. */
export async function write(
  mounted: Mounted,
  input: Input,
  c: HonoContext,
  serving: Serving & { room: Room },
): Promise<Outcome> {
  const { server, room } = serving;
  const { operation, handler, fields } = mounted;
  const { caller: found } = await withDatabaseTimeout(loadCaller(server.sql, input.credential));
  const caller = admit(operation.access, { ...input, caller: found, isWrite: true });
  const { body, raw, discard } = await readBody(c, operation.body, room);
  try {
    if (fields) permitFields(fields, body as object, caller);
    const prepared = await handler.prepare?.({ ...input, body, server } as never);
    const repeatable = repeatableOf(mounted, c, { caller, raw });
    const change: Change = { mounted, input, c, serving, caller, body, prepared };
    const work = () => server.sql.begin((sql) => once(sql, change, repeatable));
    const outcome = await server.turns.take(serving.network, () => withDatabaseTimeout(work()));
    return { ...outcome, reply: toldTo(caller, operation, outcome.reply) };
  } finally {
    await discard();
  }
}

/** Makes a change, or gives the answer of an earlier request under the same Idempotency-Key. */
async function once(sql: Sql, change: Change, repeatable: Repeatable | null): Promise<Outcome> {
  const { caller } = change;
  const earlier = repeatable && (await recall(sql, repeatable));
  if (earlier && earlier.subject === undefined) return { reply: earlier, caller, isReplay: true };
  const found = await findTargets(sql, change);
  if (earlier) {
    const { handler } = change.mounted;
    const { server } = change.serving;
    const json = await handler.again?.({ ...found, caller, sql, server, subject: earlier.subject } as never);
    return { reply: { ...earlier, json }, caller, isReplay: true };
  }
  const reply = found.moved ?? (await act(sql, change, found));
  if (repeatable && !found.moved) await remember(sql, repeatable, reply);
  return { reply, caller };
}

interface FoundTargets {
  target: AnyRow | null;
  others: Others;
  /** The answer that names the present address of the target, where a former one was asked for. */
  moved: AnyReply | undefined;
}

/** Locks what the write is about, and lets its caller pass: what comes first is decided first. */
async function findTargets(
  sql: Sql,
  { mounted, input, serving, caller, body }: Change,
): Promise<FoundTargets> {
  const { aim, fields, operation } = mounted;
  const named = aim ? addressOf(aim, input, body) : null;
  const { first, permitOthers } = await lockAll(mounted, sql, { input, body, named });
  const sent = fields && { rules: fields, names: Object.keys(body ?? {}) };
  const target = aim && named ? permit({ aim, named, row: first?.target }, caller, sent) : null;
  if (first?.movedTo && aim?.from === null) {
    const location = addressNow(operation, input, first.movedTo, serving.server);
    return { target, others: {}, moved: { status: 308, location } };
  }
  return { target, others: permitOthers(caller), moved: undefined };
}

/** Lets the handler make the change, and says under which ETag it can be read. */
async function act(sql: Sql, change: Change, { target, others }: FoundTargets): Promise<AnyReply> {
  const { mounted, input, c, serving, caller, body, prepared } = change;
  const { operation, handler, isPost } = mounted;
  const { requestId, server, address, meter } = serving;
  const charge = () => chargeOwn(operation, { meter, row: target });
  if (isCharged(operation, input.query)) charge();
  const ifMatch = isPost ? undefined : headerOf(c, "if-match");
  // Without a target an operation is about the account that calls.
  if (ifMatch !== undefined) requireMatch(ifMatch, target ?? (caller && (await lockCaller(sql, caller))));
  const reply: AnyReply = await handler.handle({
    ...input,
    body,
    caller,
    target,
    others,
    prepared,
    sql,
    server,
    charge,
    ...writers(sql, { caller, requestId, server, address }),
  } as never);
  const { read } = mounted;
  if (read && caller && reply.status === 200 && reply.json !== undefined) {
    reply.etag ??=
      (await etagAfter(read, sql, { input, caller, server })) ??
      etagOfContent(printed({ ...reply, once: {} }), reply.revision ?? target?.revision);
  }
  return reply;
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
  { operation: { body }, isPost }: Mounted,
  c: HonoContext,
  { caller, raw }: { caller: Caller | null; raw: Uint8Array },
): Repeatable | null {
  const header = isPost ? headerOf(c, "idempotency-key") : undefined;
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
function requireMatch(header: string, row: AnyRow | null): void {
  if (row?.revision !== undefined && !matches(header, row.revision)) throw apiError("precondition_failed");
}
