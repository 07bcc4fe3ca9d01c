import type { Operation } from "@promptreg/core";
import type { Sql } from "../database/sql.ts";
import { type Caller, callerOf } from "./caller.ts";
import type { Mounted } from "./mounted.ts";
import type { ServerContext } from "./server-context.ts";
import type { Loaded } from "./target.ts";

/** What a request says before its body is read. */
export interface Input {
  credential: Buffer | null;
  /** The query as it was sent, with its question mark. */
  search: string;
  params: unknown;
  query: unknown;
  headers: unknown;
  accept: string;
  /** The tags of answers that the caller of a read holds, in their quotes. */
  held: readonly string[];
}

/** Finds who a token belongs to, for an operation that acts on nothing. */
export async function loadCaller(sql: Sql, credential: Buffer | null): Promise<Loaded<null>> {
  if (credential === null) return { caller: null, target: null };
  const [row] = await sql<{ caller: Caller | null }[]>`select ${callerOf(sql, credential)} as caller`;
  return { caller: row?.caller ?? null, target: null };
}

/**
 * Finds the caller and what an operation acts on. What is not there is looked for at its former address, and if it has
 * a new one, `movedTo` says which.
 */
export async function load(
  { operation, handler, target }: Mounted,
  sql: Sql,
  request: { input: Input; body: unknown; credential: Buffer | null; lock: boolean },
): Promise<Loaded<any>> {
  const { input, body, credential, lock } = request;
  if (target === undefined) return loadCaller(sql, credential);
  const { params, query, accept, held } = input;
  const { on = "", from } = operation.access;
  const field = from && ((from === "body" ? body : query) as Record<string, string>)[on];
  const loadAt = (address: never): Promise<Loaded<any>> => {
    const caller = callerOf(sql, credential);
    if (handler.load === undefined) return target.load(sql, { address, caller, lock });
    return handler.load(sql, { address, caller, lock, query, accept, held });
  };
  const address = (field === undefined ? params : target.parse?.(field)) as never;
  const loaded = await loadAt(address);
  if (loaded.target !== null || target.whereNow === undefined) return loaded;
  const now = await target.whereNow(sql, address);
  if (now === null) return loaded;
  const there = await loadAt({ ...(address as object), ...now } as never);
  // A name in a query or body still means what it meant; only an address of its own is told to be an old one.
  return field === undefined ? { ...there, movedTo: now } : there;
}

/** The query of a URL as it was sent, with its question mark. */
export const searchOf = (url: string) => {
  const start = url.indexOf("?");
  return start === -1 ? "" : url.slice(start);
};

/** The address of the same request under the present parameters of its target. */
export function addressNow(
  { route }: Operation,
  { params, search }: Input,
  movedTo: Record<string, string>,
  { publicUrl }: ServerContext,
): string {
  const now: Record<string, unknown> = { ...(params as object), ...movedTo };
  const path = route
    .replace(/^\S+ /, "")
    .replace(/\{(\w+)\*?\}/g, (_, name: string) =>
      String(now[name]).split("/").map(encodeURIComponent).join("/"),
    );
  return `${publicUrl}/api/v1${path}${search}`;
}
