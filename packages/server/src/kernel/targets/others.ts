import type { Sql } from "../../database/sql.ts";
import { type Caller, callerAs } from "../accounts/caller.ts";
import { addressOf, type Input, loadForRead, loadForWrite, type Named } from "./load.ts";
import type { Aim, Mounted } from "../mounted.ts";
import { permit } from "./permit.ts";
import type { AnyRow, Loaded } from "../target.ts";

/** The further targets of an operation, by name; null if an optional field is missing. */
export type Others = Record<string, AnyRow | null>;

const none: Others = {};
/** Loads a further target as its kind says: it has no handler of its own. */
const handler = { handle: () => Promise.reject(new Error("a further target has no handler")) };

/** A request and its caller. */
interface Asking {
  input: Input;
  caller: Caller | null;
}

interface About {
  name: string;
  aim: Aim;
  named: Named | null;
}

const othersOf = (mounted: Mounted, input: Input, body: unknown): About[] =>
  mounted.others.map(([name, aim]) => ({ name, aim, named: addressOf(aim, input, body) }));

const find = (
  mounted: Mounted,
  sql: Sql,
  { aim, named }: About,
  { input, caller }: Asking,
): Promise<Loaded<AnyRow>> =>
  loadForRead({ ...mounted, aim, handler }, sql, { input, named, caller: callerAs(sql, caller) });

/** Checks permission for a further target. A hidden one is reported as missing. A former address is accepted. */
const permitOther = (
  { aim, named }: About,
  row: AnyRow | null | undefined,
  caller: Caller | null,
  isWrite: boolean,
): AnyRow | null => named && permit({ aim, named, row, isWrite }, caller);

/** Loads the further targets of a read. */
export async function loadOthers(mounted: Mounted, sql: Sql, asking: Asking): Promise<Others> {
  if (mounted.others.length === 0) return none;
  const rows: Others = {};
  for (const other of othersOf(mounted, asking.input, undefined)) {
    const { target } = await find(mounted, sql, other, asking);
    rows[other.name] = permitOther(other, target, asking.caller, false);
  }
  return rows;
}

/**
 * Locks all targets of a write, always in the order of the rows that are locked, so that two writes about the same things
 * cannot deadlock.
 */
export async function lockAll(
  mounted: Mounted,
  sql: Sql,
  { body, named, ...asking }: Asking & { body: unknown; named: Named | null },
): Promise<{ first: Loaded<AnyRow> | null; permitOthers: () => Others }> {
  const { aim } = mounted;
  const { input, caller } = asking;
  if (mounted.others.length === 0) {
    return { first: named && (await loadForWrite(mounted, sql, named, caller)), permitOthers: () => none };
  }
  const all = [...(aim ? [{ name: "", aim, named }] : []), ...othersOf(mounted, input, body)];
  const inOrder: { about: About; order: string }[] = [];
  for (const about of all) {
    const { target } = await find(mounted, sql, about, asking);
    const { kind } = about.named ?? {};
    const own = `${kind?.kind} ${target?.id}`;
    inOrder.push({ about, order: `${(target && kind?.target.lockedBy?.(target)) ?? own} ${own}` });
  }
  const locked: Record<string, Loaded<AnyRow>> = {};
  for (const { about } of inOrder.sort((a, b) => (a.order < b.order ? -1 : 1))) {
    if (about.named)
      locked[about.name] = await loadForWrite(about.name ? { handler } : mounted, sql, about.named, caller);
  }
  return {
    first: locked[""] ?? null,
    permitOthers: () =>
      Object.fromEntries(
        all
          .slice(aim ? 1 : 0)
          .map((other) => [other.name, permitOther(other, locked[other.name]?.target, caller, true)]),
      ),
  };
}
