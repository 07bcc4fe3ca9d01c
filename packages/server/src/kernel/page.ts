import type { JsonText, Page as PageOf } from "@promptreg/core";
import { apiError } from "@promptreg/core/errors";
import type { SecretBox } from "./secret-box.ts";

/** Where an item stands in the order of its list: the values that it is sorted by, the last of them its own. */
export type Key = readonly (string | number | null)[];

/** A row of a list as its statement gives it. */
export interface Listed {
  /** The item as JSON, or as data where it could not be printed by the database. */
  item: string | object;
  key: Key;
}

/** The part of a list that is asked for. */
export interface Page {
  /** One more than are shown: whether it is there tells whether the list goes on. */
  take: number;
  /** The place after which the part begins; null for the first one. */
  after: Key | null;
  /** The answer with these rows. The list may go on after the last, or after a position further on: `from`. */
  reply<T>(
    rows: readonly Listed[],
    more?: { goesOn: boolean; from?: Key | undefined },
  ): { status: 200; json: JsonText<PageOf<T>> };
}

const defaultLimit = 30;

/**
 * Opens the list of an operation where its query says. A cursor is base64url of `{v, k, f}`: the key of the last item
 * and a keyed digest over it and the filters, so that no statement ever meets a key that was not printed for it.
 * @throws {ApiError} `invalid_cursor` for one that was not made here, for this list and these filters.
 */
export function openPage(
  secrets: SecretBox,
  list: { id: string; params: unknown; query: { limit?: number; cursor?: string } },
): Page {
  const { limit = defaultLimit, cursor, ...filters } = list.query;
  const seal = (key: Key) =>
    secrets.cursors
      .digest(JSON.stringify([list.id, list.params, filters, key]))
      .subarray(0, 12)
      .toString("base64url");
  const print = (k: Key) => Buffer.from(JSON.stringify({ v: 1, k, f: seal(k) })).toString("base64url");
  return {
    take: limit + 1,
    after: cursor === undefined ? null : readKey(cursor, print),
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

/** Whatever does not print as it came was not printed here. */
function readKey(cursor: string, print: (key: Key) => string): Key {
  try {
    const { k } = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")) as { k: Key };
    if (Array.isArray(k) && print(k) === cursor) return k;
  } catch {
    // Falls through to the one refusal there is.
  }
  throw apiError("invalid_cursor");
}
