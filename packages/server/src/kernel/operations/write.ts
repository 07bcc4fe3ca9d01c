import { createHash } from "node:crypto";
import { comparesTarget, isRepeatable, type Operation } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import { matches, permitFields, readIdempotencyKey } from "@promptreg/core/wire";
import type { Context as HonoContext } from "hono";
import type { Sql } from "../../database/sql.ts";
import { afterCommit } from "../../database/transaction.ts";
import { admit } from "../accounts/admit.ts";
import { type Caller, lockCaller } from "../accounts/caller.ts";
import { findCaller } from "../accounts/callers.ts";
import { covers, outside, requireLabels } from "../accounts/restriction.ts";
import { audit, emit } from "../changes/emit.ts";
import { etagOfContent } from "./etag.ts";
import { whenClosed } from "../http/closed.ts";
import { headerOf } from "../http/header.ts";
import { findStoredReply, selectStoredReply, storeReply, type Repeatable } from "./idempotency.ts";
import { readBody, type Intake } from "../input/input.ts";
import { addressNow, addressOf, type Input } from "../targets/load.ts";
import type { Mounted } from "../mounted.ts";
import { notify } from "../changes/notify.ts";
import { lockAll, type Others } from "../targets/others.ts";
import { withDatabaseTimeout } from "../failures/database-timeout.ts";
import { permit } from "../targets/permit.ts";
import { etagAfter } from "./read.ts";
import { type AnyReply, printed } from "./respond.ts";
import { chargeOwn, isCharged, type Outcome, type Serving } from "./serving.ts";
import type { AnyRow } from "../target.ts";

/** A write after the check of its token and the reading of its body. */
interface Change {
  mounted: Mounted;
  input: Input;
  c: HonoContext;
  serving: Serving;
  caller: Caller | null;
  body: unknown;
  bodyType: string;
  /** What the handler prepared before the transaction. */
  prepared: unknown;
}

/** How long a token that was looked at may be used. */
const freshMs = 1_000;

/** Serves a write in one transaction: change, event, audit row and stored reply commit together or not at all. */
export async function write(
  mounted: Mounted,
  input: Input,
  c: HonoContext,
  serving: Serving & { intake: Intake },
): Promise<Outcome> {
  const { server, intake, access } = serving;
  const { operation, handler, fields } = mounted;
  const loadAdmitted = async () => {
    const found = await withDatabaseTimeout(findCaller(server, input.credential));
    if (access) access.caller = found;
    return admit(operation.access, { ...input, caller: found, isWrite: true });
  };
  const begunMs = performance.now();
  let caller = await loadAdmitted();
  const { body, bodyType, isComplete, digest, discard } = await readBody(c, operation.body, intake);
  try {
    if (fields) permitFields(fields, body as object, caller);
    const named = { caller, digest, search: input.search };
    // What is slow or costs something, such as to ask a model, is not done again.
    const earlier =
      handler.prepare && isComplete ? await findEarlier(server.sql, repeatableOf(mounted, c, named)) : null;
    if (earlier) return { reply: visibleReply(caller, operation, earlier), caller, isReplay: true };
    const charge = () => chargeOwn(operation, { meter: serving.meter, row: null, caller });
    const prepared = await handler.prepare?.({
      ...input,
      body,
      bodyType,
      caller,
      server,
      charge,
      closed: whenClosed(c),
    } as never);
    // A body can come slowly, so that its token is revoked meanwhile, or its account suspended.
    if (performance.now() - begunMs > freshMs) caller = await loadAdmitted();
    const repeatable = repeatableOf(mounted, c, named);
    const change: Change = { mounted, input, c, serving, caller, body, bodyType, prepared };
    if (handler.withoutTransaction) return await changeOnce(server.sql, change, null);
    const work = () => server.sql.begin((sql) => changeOnce(sql, change, repeatable));
    const outcome = await server.turns.take(serving.network, () => withDatabaseTimeout(work()));
    return { ...outcome, reply: visibleReply(caller, operation, outcome.reply) };
  } finally {
    await discard();
  }
}

/** The whole reply of an earlier request, if it was stored. One that runs, or that is read again, is left to the transaction. */
async function findEarlier(sql: Sql, repeatable: Repeatable | null): Promise<AnyReply | null> {
  const earlier = repeatable && (await withDatabaseTimeout(selectStoredReply(sql, repeatable)));
  return earlier?.subject === undefined ? earlier : null;
}

/** Makes a change, or gives the reply of an earlier request with the same Idempotency-Key. */
async function changeOnce(sql: Sql, change: Change, repeatable: Repeatable | null): Promise<Outcome> {
  const { caller } = change;
  const earlier = repeatable && (await findStoredReply(sql, repeatable));
  if (earlier && earlier.subject === undefined) return { reply: earlier, caller, isReplay: true };
  const found = await findTargets(sql, change);
  if (earlier) {
    const { handler } = change.mounted;
    const { server } = change.serving;
    const json = await handler.replay?.({ ...found, caller, sql, server, subject: earlier.subject } as never);
    return { reply: { ...earlier, json }, caller, isReplay: true };
  }
  const reply = found.moved ?? (await act(sql, change, found));
  if (repeatable && !found.moved) await storeReply(sql, repeatable, reply);
  return { reply, caller };
}

interface FoundTargets {
  target: AnyRow | null;
  others: Others;
  /** The redirect to the present address of the target, if the request used a former one. */
  moved: AnyReply | undefined;
}

/** Locks the targets, and checks permission. The first target is checked first. */
async function findTargets(
  sql: Sql,
  { mounted, input, serving, caller, body }: Change,
): Promise<FoundTargets> {
  const { aim, fields, operation } = mounted;
  const named = aim ? addressOf(aim, input, body) : null;
  const { first, permitOthers } = await lockAll(mounted, sql, { input, caller, body, named });
  const sent = fields && { rules: fields, names: Object.keys(body ?? {}) };
  const target =
    aim && named ? permit({ aim, named, row: first?.target, isWrite: true }, caller, sent) : null;
  if (caller?.restriction) restrict(mounted, { caller, target, input, body });
  if (first?.movedTo && aim?.from === null) {
    const location = addressNow(operation, input, first.movedTo, serving.server);
    return { target, others: {}, moved: { status: 308, location } };
  }
  return { target, others: permitOthers(), moved: undefined };
}

/** @throws {ApiError} `token_scope` for what a restricted token may not change. No write that is open to one has further targets. */
function restrict(
  { aim, operation: { access } }: Mounted,
  { caller, target, input, body }: { caller: Caller; target: AnyRow | null; input: Input; body: unknown },
): void {
  if (aim && !covers(caller, [target])) throw outside(caller);
  requireLabels(caller, access.restricted, { params: input.params, body });
}

/** Lets the handler make the change, and adds the ETag that a read has now. */
async function act(sql: Sql, change: Change, { target, others }: FoundTargets): Promise<AnyReply> {
  const { mounted, input, c, serving, caller, body, bodyType, prepared } = change;
  const { operation, handler, isPost } = mounted;
  const { requestId, server, address, network, meter } = serving;
  const charge = (id?: string) =>
    chargeOwn(operation, { meter, row: id === undefined ? target : { id }, caller });
  if (isCharged(operation, input.query)) charge();
  // A POST without a target creates something: there is nothing yet that it could match.
  const isCompared = comparesTarget(operation.access) && !(isPost && target === null);
  const ifMatch = isCompared ? headerOf(c, "if-match") : undefined;
  await handler.lockFirst?.({ body, caller, sql, server } as never);
  // Another write without a target is about the caller's account.
  if (ifMatch !== undefined) requireMatch(ifMatch, target ?? (caller && (await lockCaller(sql, caller))));
  const reply: AnyReply = await handler.handle({
    ...input,
    body,
    bodyType,
    caller,
    target,
    others,
    network,
    prepared,
    sql,
    server,
    charge,
    ...writers(sql, { caller, requestId, server, address }),
  } as never);
  announceChange(sql, change, target);
  const { read } = mounted;
  if (read && caller && reply.status === 200 && reply.json !== undefined) {
    reply.etag ??=
      (await etagAfter(read, sql, { input, caller, server })) ??
      etagOfContent(printed({ ...reply, once: {} }), reply.revision ?? target?.revision);
  }
  return reply;
}

/**
 * Announces a change of a prompt, of one of its versions, or without a target of the caller's account. What everybody may do, such as
 * to comment, changes nothing that others wait for, and must not wake them.
 */
function announceChange(sql: Sql, { mounted, serving, caller }: Change, target: AnyRow | null): void {
  const { on } = mounted.operation.access;
  const roles = on && (on.prompt ?? on.version ?? on.user);
  if (mounted.handler.lock !== undefined || (on && (roles ?? "viewers") === "viewers")) return;
  const { id = caller?.id, ownerId } = target?.prompt ?? target ?? {};
  if (id !== undefined)
    afterCommit(sql, () => serving.server.bus.announce({ id, ...(ownerId && { ownerId }) }));
}

/**
 * A token without the scope `read` gets 204 instead of the changed thing, if the operation declares 204. What is shown only
 * once is shown.
 */
function visibleReply(caller: Caller | null, { results }: Operation, reply: AnyReply): AnyReply {
  const isBlind = caller !== null && !caller.scopes.includes("read");
  if (!isBlind || results[204] === undefined || reply.json === undefined || reply.once) return reply;
  return { status: 204, ...(reply.location !== undefined && { location: reply.location }) };
}

/** The hash of a body and a query, which may be a question mark alone. */
const withQuery = (digest: Buffer, search: string): Buffer =>
  search.length < 2 ? digest : createHash("sha256").update(digest).update(search).digest();

/** A request with an Idempotency-Key, if its operation takes one. Not for anonymous callers. */
function repeatableOf(
  { operation }: Mounted,
  c: HonoContext,
  { caller, digest, search }: { caller: Caller | null; digest: () => Buffer; search: string },
): Repeatable | null {
  const header = headerOf(c, "idempotency-key");
  if (header === undefined || caller === null || !isRepeatable(operation)) return null;
  return {
    userId: caller.id,
    operation: `POST ${c.req.path}`,
    key: readIdempotencyKey(header),
    requestHash: withQuery(digest(), search),
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
  emit: (name: never, about: never, data: never) => emit(sql, { ...server, caller }, name, about, data),
  notify: (name: never, about: never, data: never) => notify(sql, { ...server, caller }, name, about, data),
  audit: (action: string, target: string, data: Record<string, unknown> = {}) =>
    audit(
      sql,
      { caller, requestId, ipHash: server.secrets.addresses.digest(address) },
      { action, target, data },
    ),
});

/** @throws {ApiError} `precondition_failed`. A row without a revision always matches. */
function requireMatch(header: string, row: AnyRow | null): void {
  if (row?.revision !== undefined && !matches(header, row.revision)) throw apiError("precondition_failed");
}
