import { apiError, type Page, type PageQuery } from "@promptreg/core";
import { fromBase64, toBase64 } from "./base64.ts";

const defaultLimit = 30;

/** About how much a page has at most. */
const pageMaxBytes = 8 * 1024 * 1024;

/** A requested list: its name with the parameters of its path, its filters, and the cursor position of each item. */
interface Listing<T, Key, Shown> {
  list: readonly unknown[];
  query: PageQuery;
  keyOf: (item: T) => Key;
  isAfter: (item: T, key: Key) => boolean;
  /** A page ends early once its items have so much of something. Default: bytes. */
  bounds?: readonly { of: (item: T) => number; most?: number }[];
  /** How an item is shown; as it is when absent. */
  show?: (item: T) => Shown;
}

/**
 * Returns the requested page of a list.
 * @throws {ApiError} `invalid_cursor`.
 */
export function pageOf<T, Key, Shown = T>(
  all: readonly T[],
  {
    list,
    query: { limit = defaultLimit, cursor, ...filters },
    keyOf,
    isAfter,
    bounds = [],
    show,
  }: Listing<T, Key, Shown>,
): { status: 200; json: Page<Shown> } {
  // Base64 takes no letters beyond Latin-1.
  const name = encodeURIComponent(JSON.stringify([...list, filters]));
  const after = cursor === undefined ? undefined : readCursor<Key>(cursor, name);
  const rest = after === undefined ? all : all.filter((item) => isAfter(item, after.key));
  const wanted = rest.slice(0, limit + 1);
  const fitting = bounds.reduce<readonly T[]>(fit, wanted);
  const shown = fitting.slice(0, limit);
  const last = wanted.length > shown.length ? shown.at(-1) : undefined;
  const nextCursor = last === undefined ? null : toBase64(JSON.stringify([name, keyOf(last)]));
  return {
    status: 200,
    json: { items: show ? shown.map(show) : (shown as unknown[] as Shown[]), nextCursor },
  };
}

/** The first items, up to the one that reaches a bound. */
function fit<T>(
  items: readonly T[],
  { of, most = pageMaxBytes }: { of: (item: T) => number; most?: number },
): T[] {
  let before = 0;
  return items.filter((item) => {
    const fits = before < most;
    before += of(item);
    return fits;
  });
}

function readCursor<Key>(cursor: string, name: string): { key: Key } {
  try {
    const [list, key] = JSON.parse(fromBase64(cursor)) as [string, Key];
    if (list === name) return { key };
  } catch {
    // Falls through to the error.
  }
  throw apiError("invalid_cursor");
}
