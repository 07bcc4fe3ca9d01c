import type { Sql } from "../database/sql.ts";
import { type Caller, callerOf } from "./caller.ts";
import { addressOf, type Input, loadForRead, loadForWrite } from "./load.ts";
import type { Mounted } from "./mounted.ts";
import { permit } from "./permit.ts";

const none = {};
/** Further targets have no answer of their own: each is loaded as its kind says. */
const handler = { handle: () => Promise.reject(new Error("a target that is not answered")) };

/**
 * Loads what an operation is about beside its first target, and lets the caller pass who may act on each. Hidden equals
 * missing, and an old address means what it meant. Writes lock them one by one, in the order of their kinds and
 * addresses, so that two requests about the same things wait for each other.
 */
export async function loadOthers(
  mounted: Mounted,
  sql: Sql,
  { input, body, caller, lock }: { input: Input; body?: unknown; caller: Caller | null; lock: boolean },
): Promise<Record<string, object | null>> {
  if (mounted.others.length === 0) return none;
  const all = mounted.others.map(([name, aim]) => {
    const named = addressOf(aim, input, body);
    return { name, aim, named, order: JSON.stringify([named?.kind.kind, named?.address]) };
  });
  const rows: Record<string, object | null> = {};
  for (const { name, aim, named } of all.sort((a, b) => (a.order < b.order ? -1 : 1))) {
    rows[name] = null;
    if (named === null) continue;
    const { target: row } = lock
      ? await loadForWrite({ handler }, sql, named)
      : await loadForRead({ ...mounted, aim, handler }, sql, { input, named, caller: callerOf(sql, null) });
    rows[name] = permit({ ...named.kind, about: aim.about, row }, caller);
  }
  return rows;
}
