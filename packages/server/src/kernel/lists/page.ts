import type { JsonText, Page as PageOf } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { SecretBox } from "../secrets/secret-box.ts";

/** The position of an item in its list: the values it is sorted by. The last one is unique. */
export type Key = readonly (string | number | null)[];

/** A row of a list's statement. */
export interface Listed {
  /** The item as JSON, or as data if the database could not print it. */
  item: string | object;
  key: Key;
}

/** The requested page of a list. */
export interface Page {
  /** The limit plus one: if there is one more row, there is a next page. */
  take: number;
  /** The cursor position after which the page begins; null for the first page. */
  after: Key | null;
  /** The reply with these rows. The next page begins after the last one, or after `from`. */
  reply<T>(
    rows: readonly Listed[],
    more?: { goesOn: boolean; from?: Key | undefined },
  ): { status: 200; json: JsonText<PageOf<T>> };
}

const defaultLimit = 30;

/**
 * Opens the requested page. A cursor is base64url of `{v, k, f}`: version, key of the last item, and a keyed digest (`seal`)
 * over list, filters and key. So a statement only gets keys that were printed for it.
 * @throws {ApiError} `invalid_cursor` if it was not made by us for this list and these filters.
 */
export function openPage(
  secrets: SecretBox,
  list: { id: string; params: unknown; query: { limit?: number; cursor?: string } },
): Page {
  const { limit = defaultLimit, cursor, ...filters } = list.query;
  const seal = (key: Key, { cursors }: SecretBox) =>
    cursors
      .digest(JSON.stringify([list.id, list.params, filters, key]))
      .subarray(0, 12)
      .toString("base64url");
  const print = (k: Key, by = secrets) =>
    Buffer.from(JSON.stringify({ v: 1, k, f: seal(k, by) })).toString("base64url");
  const isOurs = (k: Key) => [secrets, secrets.second].some((by) => by !== null && print(k, by) === cursor);
  return {
    take: limit + 1,
    after: cursor === undefined ? null : readKey(cursor, isOurs),
    reply<T>(
      rows: readonly Listed[],
      { goesOn, from }: { goesOn: boolean; from?: Key | undefined } = { goesOn: rows.length > limit },
    ) {
      const shown = rows.slice(0, limit);
      const last = goesOn ? (from ?? shown.at(-1)?.key) : undefined;
      const items = shown.map(({ item }) => (typeof item === "string" ? item : JSON.stringify(item)));
      const nextCursor = last ? `"${print(last)}"` : "null";
      const json = `{"items":[${items.join(",")}],"nextCursor":${nextCursor}}` as JsonText<PageOf<T>>;
      return { status: 200, json };
    },
  };
}

/** A cursor is valid if printing its key gives the same cursor. */
function readKey(cursor: string, isOurs: (key: Key) => boolean): Key {
  try {
    const { k } = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")) as { k: Key };
    if (Array.isArray(k) && isOurs(k)) return k;
  } catch {
    // It is invalid, as below.
  }
  throw apiError("invalid_cursor");
}
