import { apiError } from "@promptreg/core/errors";
import { hasKindInField, type Operation } from "@promptreg/core";
import type { Fragment, Sql } from "../../database/sql.ts";
import { asking, type Caller, callerOf } from "../accounts/caller.ts";
import { findCaller } from "../accounts/callers.ts";
import type { DetailedHandler } from "../handler.ts";
import type { Aim, Mounted } from "../mounted.ts";
import type { ServerContext } from "../server-context.ts";
import type { AnyRow, Loaded, LoadRequest, TargetKind } from "../target.ts";

/** A request without its body. */
export interface Input {
  credential: Buffer | null;
  /** The query as it was sent, with its question mark. */
  search: string;
  params: unknown;
  query: unknown;
  headers: unknown;
  accept: string;
  /** The ETags of a read's `If-None-Match`, quoted. */
  ifNoneMatch: readonly string[];
  /** A read that waits for a change. */
  isWaiting?: boolean;
}

/** The kind and address of a thing that a request names. */
export interface Named {
  kind: Aim["kinds"][number];
  address: any;
}

/**
 * Reads what a request names; null if an optional field is missing.
 * @throws {ApiError} `not_found` for an address that nothing can have.
 */
export function addressOf(
  { about, kinds, from, isOptional }: Aim,
  input: Input,
  body: unknown,
): Named | null {
  const [only] = kinds;
  if (from === null && only) return { kind: only, address: input.params };
  const field = (from ?? []).reduce<unknown>(
    (value, name) => (value as Record<string, unknown> | undefined)?.[name],
    { body, query: input.query },
  );
  if ((field ?? null) === null && isOptional) return null;
  const [type, text] = hasKindInField(about) ? readTarget(field) : [only?.kind, field];
  const kind = kinds.find((one) => one.kind === type);
  try {
    if (kind?.target.parse && typeof text === "string") return { kind, address: kind.target.parse(text) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw apiError("not_found");
}

/** `prompt:owner/slug` of a query, `{ type, id }` of a body. */
function readTarget(field: unknown): [type: string, text: unknown] {
  if (typeof field === "string") {
    const [, type = "", text] = /^([a-z_]+):(.*)$/s.exec(field) ?? [];
    return [type, text];
  }
  const { type, id } = (field ?? {}) as { type?: unknown; id?: unknown };
  return [String(type), id];
}

type LoadAt = (address: never) => Promise<Loaded<AnyRow>>;

/**
 * Loads what is named. If nothing has this address now, it looks for a thing that had it; `movedTo` is its new address. What is hidden from
 * the caller is nothing: it takes as long.
 */
async function loadNamed(
  sql: Sql,
  { kind: { target }, address }: Named,
  loadAt: LoadAt,
): Promise<Loaded<AnyRow>> {
  const load = async (address: unknown) => {
    const loaded = await loadAt(address as never);
    const { target: row, caller } = loaded;
    const isHidden = row !== null && target.visibility(row, caller) === "hidden";
    return isHidden ? { ...loaded, target: null } : loaded;
  };
  const loaded = await load(address);
  if (loaded.target !== null) return loaded;
  const now = await target.whereNow?.(sql, address, loaded.caller);
  if (!now) return loaded;
  return { ...(await load({ ...address, ...now })), movedTo: now };
}

/** Finds the caller and the target of a read, and, if the handler loads them itself, what the response needs. */
export async function loadForRead(
  { aim, handler, server }: Mounted,
  sql: Sql,
  {
    input,
    named,
    caller = callerOf(sql, input.credential),
  }: { input: Input; named: Named | null; caller?: Fragment },
): Promise<Loaded<AnyRow>> {
  const { credential, params, query, accept, ifNoneMatch } = input;
  if (aim === undefined || named === null)
    return { caller: await findCaller(server, credential), target: null };
  return loadNamed(sql, named, (address) =>
    handler.load
      ? handler.load(sql, { address, caller, credential, query, accept, ifNoneMatch, server })
      : selectTarget(sql, named.kind.target, { address, caller, handler, params }),
  );
}

/** The handler's revision. In the row it replaces the target's, because it comes later. */
const ownRevision = (sql: Sql, { revision }: Pick<DetailedHandler<any, any, any>, "revision">): Fragment =>
  revision ? sql`, ${revision(sql)} as revision` : sql``;

/** Finds caller and target in one statement, and the state of the response if the handler has one. */
async function selectTarget(
  sql: Sql,
  target: TargetKind<any>,
  {
    address,
    caller,
    handler,
    params,
  }: LoadRequest<unknown> & { handler: DetailedHandler<any, any, any>; params: unknown },
): Promise<Loaded<AnyRow>> {
  const state = handler.state?.(sql, { viewerId: sql`asking.id`, params });
  const [row] = await sql<Loaded<AnyRow>[]>`
    select asking.caller, (select row_to_json(t) from (
      select ${target.columns(sql)} ${ownRevision(sql, handler)} ${state ? sql`, (${state})::text as state` : sql``}
      ${target.from(sql, address)} ${target.isKnown ? sql`and ${target.isKnown(sql)}` : sql``}
    ) t) as target
    from ${asking(sql, { caller })}`;
  return row ?? { caller: null, target: null };
}

/** Finds the target of a write, and locks it until the transaction ends. The caller is known already. */
export const loadForWrite = (
  { handler }: Pick<Mounted, "handler">,
  sql: Sql,
  named: Named,
  caller: Caller | null,
): Promise<Loaded<AnyRow>> =>
  loadNamed(sql, named, async (address) => ({
    caller,
    target: await lockTarget(sql, named.kind.target, address, handler),
  }));

/** Locks a target until the transaction ends, and gives its row under the lock; null if there is none. */
export async function lockTarget<Row extends object, Address>(
  sql: Sql,
  target: TargetKind<Row, Address>,
  address: Address,
  handler: Pick<DetailedHandler<any, any, any>, "revision" | "lock"> = {},
): Promise<Row | null> {
  const strength = handler.lock === "share" ? sql`share` : sql`no key update`;
  const first = handler.lock === "own" ? [] : (target.lockFirst?.(sql, address, strength) ?? []);
  const locked = sql<{ target: Row }[]>`
    select row_to_json(t) as target from (
      select ${target.columns(sql)} ${ownRevision(sql, handler)}
      ${target.from(sql, address)} for ${strength} of ${sql(target.alias)}
    ) t`;
  // All are sent at once, and each begins when the one before has its lock.
  await Promise.all([...first, locked]);
  const [row] = await locked;
  return row?.target ?? null;
}

/** The query of a URL as it was sent, with its question mark. */
export const searchOf = (url: string) => {
  const start = url.indexOf("?");
  return start === -1 ? "" : url.slice(start);
};

/** The URL of the same request with the present address of its target. */
export function addressNow(
  { route }: Operation,
  { params, search }: Input,
  movedTo: Record<string, string>,
  { publicUrl }: ServerContext,
): string {
  const now: Record<string, unknown> = { ...(params as object), ...movedTo };
  const path = route
    .slice(route.indexOf("/"))
    .replace(/\{(\w+)\*?\}/g, (_, name: string) =>
      String(now[name]).split("/").map(encodeURIComponent).join("/"),
    );
  return `${publicUrl}/api/v1${path}${search}`;
}
