import { includesEtag, permitFields } from "@promptreg/core/wire";
import type { Sql } from "../../database/sql.ts";
import { admit } from "../accounts/admit.ts";
import { type Caller, callerAs } from "../accounts/caller.ts";
import { covers, outside } from "../accounts/restriction.ts";
import { asApiError } from "../failures/as-api-error.ts";
import { etagOfState } from "./etag.ts";
import { addressNow, addressOf, type Input, loadForRead } from "../targets/load.ts";
import type { Mounted } from "../mounted.ts";
import { loadOthers } from "../targets/others.ts";
import { openPage } from "../lists/page.ts";
import { permit } from "../targets/permit.ts";
import type { AnyReply } from "./respond.ts";
import type { ServerContext } from "../server-context.ts";
import { chargeOwn, isCharged, type Outcome, type Serving } from "./serving.ts";
import type { AnyRow } from "../target.ts";

/**
 * Serves a read, with one statement if possible: it finds the caller and the target, and often the response.
 * Objects are written out here and in `load`: spreading them made reads of pinned versions a tenth slower.
 */
export async function read(
  mounted: Mounted,
  input: Input,
  serving: Serving,
  sql: Sql = serving.server.sql,
): Promise<Outcome> {
  const { server, meter, network, access } = serving;
  const { id, operation, handler, aim, fields, isList } = mounted;
  const { secrets } = server;
  const { credential, params, query, headers, accept, ifNoneMatch, isWaiting = false } = input;
  const named = aim ? addressOf(aim, input, undefined) : null;
  const loaded = await loadForRead(mounted, sql, { input, named });
  if (access) access.caller = loaded.caller;
  const caller = admit(operation.access, { credential, caller: loaded.caller, isWrite: false });
  const row = aim && named ? permit({ aim, named, row: loaded.target }, caller) : null;
  if (fields) permitFields(fields, query as object, caller);
  // Before its present address is said, and before what else is read.
  if (caller?.restriction && aim && !covers(caller, [row]))
    return readAsAnybody(mounted, input, { ...serving, caller });
  if (loaded.movedTo && aim?.from === null)
    return { reply: { status: 301, location: addressNow(operation, input, loaded.movedTo, server) }, caller };
  const others = await loadOthers(mounted, sql, { input, caller });
  if (caller?.restriction && !covers(caller, Object.values(others)))
    return readAsAnybody(mounted, input, { ...serving, caller });
  if (isCharged(operation, query)) chargeOwn(operation, { meter, row, caller });
  const etag = etagOfRow(mounted, { row, params, query, accept, caller, server });
  if (etag !== undefined && includesEtag(ifNoneMatch, etag)) return { reply: { status: 304, etag }, caller };
  const page = isList ? openPage(secrets, { id, params, query: query as object }) : undefined;
  const target = row;
  const context = {
    params,
    query,
    headers,
    accept,
    ifNoneMatch,
    isWaiting,
    caller,
    target,
    others,
    network,
    page,
    sql,
    server,
  };
  const reply: AnyReply = await handler.handle(context as never);
  if (etag !== undefined) reply.etag ??= etag;
  else if (!isList) reply.revision ??= row?.revision;
  return { reply, caller };
}

/**
 * Whether a replica can serve it. Others' caches may keep such a list for longer than a replica may be behind. Whoever has a token sees what
 * they have just written.
 */
export const mayLag = (
  { isList, aim, handler }: Mounted,
  { credential, query }: Pick<Input, "credential" | "query">,
): boolean => credential === null && (isList || aim === undefined) && handler.mustBeCurrent?.(query) !== true;

/**
 * Serves what a restricted token does not cover as it is served without a token.
 * @throws {ApiError} `token_scope` if it is not served so. The account sees it, so that this tells nothing.
 */
async function readAsAnybody(
  mounted: Mounted,
  input: Input,
  { caller, ...serving }: Serving & { caller: Caller },
): Promise<Outcome> {
  try {
    return await read(mounted, { ...input, credential: null }, { ...serving, access: undefined });
  } catch (error) {
    throw asApiError(error).status < 500 ? outside(caller) : error;
  }
}

interface Shown extends Pick<Input, "params" | "query" | "accept"> {
  row: AnyRow | null;
  caller: Caller | null;
  server: ServerContext;
}

/** The ETag of a row with a state; undefined if it has none. */
function etagOfRow(
  { operation }: Mounted,
  { row, params, query, accept, caller, server: { publicUrl } }: Shown,
): string | undefined {
  const { state, revision } = row ?? {};
  if (state === undefined || revision === undefined) return undefined;
  const path = operation.route.replace("GET ", "");
  return etagOfState({ revision, state, address: [path, params, query, accept], viewer: caller, publicUrl });
}

/** The ETag that a read of the changed thing has; undefined if it has to be made from the content. */
export async function etagAfter(
  mounted: Mounted,
  sql: Sql,
  { input, caller, server }: { input: Input; caller: Caller; server: ServerContext },
): Promise<string | undefined> {
  const { aim, types } = mounted;
  const asked: Input = { ...input, query: {}, accept: types[0] ?? "", ifNoneMatch: [] };
  const named = aim ? addressOf(aim, asked, undefined) : null;
  const loaded = await loadForRead(mounted, sql, { input: asked, named, caller: callerAs(sql, caller) });
  const params = { ...(input.params as object), ...loaded.movedTo };
  return etagOfRow(mounted, { ...asked, params, row: loaded.target, caller, server });
}
