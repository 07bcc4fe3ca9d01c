import { apiError, type Page, type PageQuery } from "@promptreg/core";
import { fromBase64, toBase64 } from "./base64.ts";

const defaultLimit = 30;

/** A requested list: its name with its parameters, and the cursor position of each item. */
interface Listing<T, Key> {
  list: readonly unknown[];
  query: PageQuery;
  keyOf: (item: T) => Key;
  isAfter: (item: T, key: Key) => boolean;
}

/**
 * Returns the requested page of a list.
 * @throws {ApiError} `invalid_cursor`.
 */
export function pageOf<T, Key>(
  all: readonly T[],
  { list, query: { limit = defaultLimit, cursor }, keyOf, isAfter }: Listing<T, Key>,
): { status: 200; json: Page<T> } {
  // Base64 takes no letters beyond Latin-1.
  const name = encodeURIComponent(JSON.stringify(list));
  const after = cursor === undefined ? undefined : readCursor<Key>(cursor, name);
  const rest = after === undefined ? all : all.filter((item) => isAfter(item, after.key));
  const items = rest.slice(0, limit);
  const last = rest.length > limit ? items.at(-1) : undefined;
  return {
    status: 200,
    json: { items, nextCursor: last === undefined ? null : toBase64(JSON.stringify([name, keyOf(last)])) },
  };
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
